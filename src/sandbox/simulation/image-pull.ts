/** Why a container's image cannot be had. */
export interface ImageFailure {
  reason: 'ErrImagePull' | 'ErrImageNeverPull' | 'InvalidImageName';
  message: string;
}

const reference =
  /^(?:[a-z0-9]+(?:[.-][a-z0-9]+)*(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i;

/**
 * Whether a simulated node can pull an image. It can pull every one but those whose tag is `missing` or `does-not-exist`, or whose registry is below the
 * top-level domain `invalid`, which exists nowhere: the same chart fails on a real cluster as well.
 */
export function imageFailure(image: string, pullPolicy: string | undefined): ImageFailure | undefined {
  if (!reference.test(image)) {
    const message = `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}: invalid reference format`;
    return { reason: 'InvalidImageName', message };
  }
  const { registry, tag } = partsOf(image);
  if (registry.endsWith('.invalid')) return missing(image, pullPolicy, `dial tcp: lookup ${registry}: no such host`);
  return tag === 'missing' || tag === 'does-not-exist' ? missing(image, pullPolicy, 'not found') : undefined;
}

/** What a pull that fails says, in containerd's words. */
export function pullFailure(image: string, why = 'not found'): ImageFailure {
  const full = fullName(image);
  const message = `failed to pull and unpack image ${JSON.stringify(full)}: failed to resolve reference ${JSON.stringify(full)}: ${why === 'not found' ? `${full}: not found` : why}`;
  return {
    reason: 'ErrImagePull',
    message: why === 'not found' ? `rpc error: code = NotFound desc = ${message}` : message,
  };
}

function missing(image: string, pullPolicy: string | undefined, why: string): ImageFailure {
  if (pullPolicy !== 'Never') return pullFailure(image, why);
  const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
  return { reason: 'ErrImageNeverPull', message };
}

function partsOf(image: string): { registry: string; tag: string } {
  const [first = '', ...rest] = image.split('/');
  const registry = rest.length > 0 && /[.:]|^localhost$/.test(first) ? first.replace(/:\d+$/, '') : 'docker.io';
  return { registry, tag: /:([^/:@]+)(?:@|$)/.exec(image)?.[1] ?? 'latest' };
}

/** Docker's rule: a name without a registry is one of Docker Hub's, without a folder one of its library. */
function fullName(image: string): string {
  const tagged = /:[^/]+$|@/.test(image) ? image : `${image}:latest`;
  const [first = '', ...rest] = tagged.split('/');
  if (rest.length === 0) return `docker.io/library/${tagged}`;
  return /[.:]|^localhost$/.test(first) ? tagged : `docker.io/${tagged}`;
}
