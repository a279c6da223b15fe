/** Reason why a node cannot get an image. */
export interface ImageFailure {
  reason: 'ErrImagePull' | 'ErrImageNeverPull' | 'InvalidImageName';
  message: string;
}

const reference =
  /^(?:[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i;

/**
 * Returns why a simulated node cannot pull an image, or undefined if it can. Images fail if their
 * tag is `missing` or `does-not-exist`, or if their registry is below the top-level domain
 * `invalid`, which never resolves: such a chart fails on a real cluster, too.
 */
export function imageFailure(image: string, pullPolicy: string | undefined): ImageFailure | undefined {
  if (!reference.test(image)) {
    const message = `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}: invalid reference format`;
    return { reason: 'InvalidImageName', message };
  }
  const { registry, tag } = partsOf(image);
  if (registry.endsWith('.invalid'))
    return missingImage(image, pullPolicy, `dial tcp: lookup ${registry}: no such host`);
  return tag === 'missing' || tag === 'does-not-exist' ? missingImage(image, pullPolicy, 'not found') : undefined;
}

/** Returns the failure of a pull, with containerd's message. */
export function pullFailure(image: string, reason = 'not found'): ImageFailure {
  const full = fullName(image);
  const message = `failed to pull and unpack image ${JSON.stringify(full)}: failed to resolve reference ${JSON.stringify(full)}: ${reason === 'not found' ? `${full}: not found` : reason}`;
  return {
    reason: 'ErrImagePull',
    message: reason === 'not found' ? `rpc error: code = NotFound desc = ${message}` : message,
  };
}

function missingImage(image: string, pullPolicy: string | undefined, reason: string): ImageFailure {
  if (pullPolicy !== 'Never') return pullFailure(image, reason);
  const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
  return { reason: 'ErrImageNeverPull', message };
}

function partsOf(image: string): { registry: string; tag: string } {
  const [first = '', ...rest] = image.split('/');
  const registry = rest.length > 0 && /[.:]|^localhost$/.test(first) ? first.replace(/:\d+$/, '') : 'docker.io';
  return { registry, tag: /:([^/:@]+)(?:@|$)/.exec(image)?.[1] ?? 'latest' };
}

/**
 * Returns the full name of an image. The default registry is Docker Hub, with the default folder
 * `library`.
 */
function fullName(image: string): string {
  const tagged = /:[^/]+$|@/.test(image) ? image : `${image}:latest`;
  const [first = '', ...rest] = tagged.split('/');
  if (rest.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
}
