# The agent as a bundle on a Node 24 image. BASE can be any image with Node 24 and npm. Give it by
# digest, so that nobody can change what is built:
#   docker build --build-arg BASE=docker.io/library/node@sha256:DIGEST -t helm-agent .
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY src ./src
RUN node tools/bundle.ts /app

FROM ${BASE}
COPY --from=build /app /app
COPY LICENSE /app/
USER 65532:65532
ENV NODE_ENV=production
# The C library gives memory back to the system as soon as it is free.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
# V8 collects garbage earlier, which halves the peak memory; see docs/benchmarks.md.
ENTRYPOINT ["node", "--max-semi-space-size=2", "--heap-growing-percent=40", "/app/helm-agent.mjs"]
CMD ["run"]
