export const builders = ['docker', 'podman', 'buildah'] as const;

export type Builder = (typeof builders)[number];

/** An image to build. */
export interface ImageOptions {
  builder: Builder;
  tag: string;
  /** Image with Node 24 and npm. */
  base: string;
  /** Such as `linux/arm64`. Default: the platform of this machine. */
  platforms: readonly string[];
  version: string;
  /** Commit that is built. Default: none is named. */
  revision?: string | undefined;
  /** Further arguments of the builder. */
  more: readonly string[];
}

/** Returns the arguments with which a builder builds an image of this folder. */
export function imageArguments(options: ImageOptions): string[] {
  const { builder, tag, base, platforms, more } = options;
  const labels = Object.entries(labelsOf(options)).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const isSeveral = platforms.length > 1;
  const name = isSeveral && builder !== 'docker' ? '--manifest' : '--tag';
  return [
    ...(builder === 'docker' && isSeveral ? ['buildx', 'build'] : ['build']),
    ...(platforms.length === 0 ? [] : ['--platform', platforms.join(','), ...buildPlatformArguments(builder)]),
    ...['--build-arg', `BASE=${base}`, ...revisionArguments(options), ...labels, ...more, name, tag, '.'],
  ];
}

/** Returns the argument that names this machine's platform, which Docker sets by itself. */
function buildPlatformArguments(builder: Builder): string[] {
  const processor = process.arch === 'x64' ? 'amd64' : process.arch;
  return builder === 'docker' ? [] : ['--build-arg', `BUILDPLATFORM=linux/${processor}`];
}

function revisionArguments({ revision }: ImageOptions): string[] {
  return revision === undefined ? [] : ['--build-arg', `REVISION=${revision}`];
}

function labelsOf({ base, version, revision }: ImageOptions): Record<string, string> {
  const [baseName = '', digest] = base.split('@');
  return {
    'org.opencontainers.image.title': 'helm-agent',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.source': 'https://github.com/helm-agent/helm-agent',
    'org.opencontainers.image.base.name': baseName,
    ...(digest !== undefined && { 'org.opencontainers.image.base.digest': digest }),
    ...(revision !== undefined && { 'org.opencontainers.image.revision': revision }),
  };
}

/** Whether an image is named by its digest, so that it cannot change. */
export function isPinned(image: string): boolean {
  return /@sha256:[0-9a-f]{64}$/.test(image);
}
