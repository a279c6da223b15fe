# The agent as a bundle beside Node, without a shell and without a package manager. BASE can be any
# image with Node 24 and npm: Node and its libraries are copied from it. Give it by digest, so that
# nobody can change what is built: npm run image does.
#   docker build --build-arg BASE=docker.io/library/node@sha256:DIGEST -t helm-agent .
ARG BASE=docker.io/library/node:24-bookworm-slim

# The program is the same on every processor, so it is built once, on that of the builder.
FROM --platform=${BUILDPLATFORM} ${BASE} AS build
ARG BASE
ARG REVISION=
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY src ./src
COPY LICENSE ./
RUN node tools/bundle.ts /root-of-image/app && node tools/image-program.ts /root-of-image --base "${BASE}" --revision "${REVISION}"

# Node and its libraries are those of the image's processor. Docker has its platform as the default,
# buildah that of the stage before.
FROM --platform=${TARGETPLATFORM} ${BASE} AS root
WORKDIR /src
COPY package.json ./
COPY tools ./tools
COPY --from=build /root-of-image /root-of-image
RUN node tools/image-root.ts /root-of-image
# Compiled code is for the flags below, and for those of the chart of the control plane.
RUN node tools/image-compiled.ts /root-of-image run --max-semi-space-size=2 --heap-growing-percent=40
RUN node tools/image-compiled.ts /root-of-image control-plane --max-semi-space-size=8 --heap-growing-percent=100

FROM --platform=${TARGETPLATFORM} scratch
COPY --from=root /root-of-image /
USER 65532:65532
ENV NODE_ENV=production PATH=/usr/local/bin NODE_COMPILE_CACHE=/var/cache/compiled
# The C library gives memory back to the system as soon as it is free.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
# V8 collects garbage earlier, which halves the peak memory; see docs/benchmarks.md.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=2", "--heap-growing-percent=40", "/app/helm-agent.mjs"]
CMD ["run"]
