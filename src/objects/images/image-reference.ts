/** The parts of the reference of an image. */
export interface ImageReference {
  /** Host of the registry in lower case, with its port unless that is 443. */
  registry: string;
  /** Path in the registry, such as `library/nginx`. */
  repository: string;
  /** The tag and the digest as they are, with `:` and `@`. Empty if there are none. */
  suffix: string;
}

const maxLength = 1024;
const dockerHub = 'docker.io';
/** Other names of Docker's registry. */
const dockerNames: ReadonlySet<string> = new Set(['index.docker.io', 'registry-1.docker.io']);

/**
 * Reads the reference of an image as container runtimes do (distribution/reference): `nginx` is
 * `docker.io/library/nginx`. Undefined for a text that is not one, which no runtime pulls.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  if (text.length > maxLength) return undefined;
  const at = text.indexOf('@');
  const [name, digest] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
  if (digest !== '' && !/^@[A-Za-z][A-Za-z0-9+._-]*:[0-9A-Fa-f]{32,}$/.test(digest)) return undefined;
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const [path, tag] = colon < 0 ? [name, ''] : [name.slice(0, colon), name.slice(colon)];
  if (tag !== '' && !/^:\w[\w.-]{0,127}$/.test(tag)) return undefined;
  const place = parsePath(path);
  if (place === undefined) return undefined;
  const { registry, repository } = place;
  const isOfficial = registry === dockerHub && !repository.includes('/');
  return { registry, repository: isOfficial ? `library/${repository}` : repository, suffix: tag + digest };
}

/** A registry, or a part of one. */
export interface ImagePrefix {
  registry: string;
  /** The first parts of the path. Default: all repositories of the registry. */
  repository?: string | undefined;
}

/**
 * Reads a registry with or without a path, such as `ghcr.io/team`. Undefined if it is not one, or
 * has no host: `team/app` would be a repository of Docker's registry.
 */
export function parseImagePrefix(text: string): ImagePrefix | undefined {
  if (text.length > maxLength) return undefined;
  const [host = ''] = text.split('/', 1);
  if (!isHost(host)) return undefined;
  return host === text ? { registry: registryOf(host) } : parsePath(text);
}

/** Whether an image is in a registry, or in a part of one: only whole parts of a path count. */
export function isBelowPrefix({ registry, repository }: Omit<ImageReference, 'suffix'>, prefix: ImagePrefix): boolean {
  if (registry !== prefix.registry) return false;
  return prefix.repository === undefined || `${repository}/`.startsWith(`${prefix.repository}/`);
}

function parsePath(text: string): { registry: string; repository: string } | undefined {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const hasHost = isHost(first);
  const repository = hasHost ? text.slice(slash + 1) : text;
  const isValid = repository.split('/').every((part) => /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/.test(part));
  return isValid ? { registry: hasHost ? registryOf(first) : dockerHub, repository } : undefined;
}

/** Whether the first part of a reference is a host, and not a part of the path. */
function isHost(text: string): boolean {
  if (!/[.:A-Z]/.test(text) && text !== 'localhost') return false;
  if (/^\[[0-9A-Fa-f:]+\](?::\d{1,5})?$/.test(text)) return true;
  const [name = '', port = '0', ...rest] = text.split(':');
  const isName = name.split('.').every((label) => /^(?!-)[A-Za-z0-9-]+$/.test(label) && !label.endsWith('-'));
  return isName && rest.length === 0 && /^\d{1,5}$/.test(port);
}

function registryOf(host: string): string {
  const name = host.toLowerCase().replace(/:443$/, '');
  return dockerNames.has(name) ? dockerHub : name;
}
