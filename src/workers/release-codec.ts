import { decodeRelease, encodeRelease, type ReleaseCodec } from '../release/codec.ts';
import { ReleaseError } from '../release/error.ts';
import type { Helm2Decoder } from '../release/helm2/decode-helm2.ts';
import type { Release } from '../release/release.ts';
import { TaskError } from '../threads/tasks.ts';
import type { WorkerPool } from './worker-pool.ts';

/**
 * Releases up to these sizes, encoded and unpacked, are read at once: it takes a few milliseconds.
 */
const smallRelease = 64 * 1024;
const smallUnpacked = 512 * 1024;

const never = new AbortController().signal;

/** Returns a codec that reads and writes all but small releases in threads. */
export function threadedCodec(workers: WorkerPool): ReleaseCodec {
  return {
    async encode(release, signal = never) {
      if (textSize(release) <= smallUnpacked) return encodeRelease(release);
      return workers.run(
        'encodeRelease',
        { release },
        { signal, subject: 'encoding a release', limitCode: 'too_large' },
      );
    },
    async decode(encoded, signal = never) {
      const small = encoded.length <= smallRelease ? await decodeSmall(encoded) : undefined;
      return small ?? decodeInThread(workers, 'decodeRelease', encoded, signal);
    },
  };
}

/** Returns a reader of releases of Helm 2 in threads. */
export function threadedHelm2Decoder(workers: WorkerPool): Helm2Decoder {
  return (encoded, signal = never) => decodeInThread(workers, 'decodeHelm2Release', encoded, signal);
}

async function decodeInThread(
  workers: WorkerPool,
  task: 'decodeRelease' | 'decodeHelm2Release',
  encoded: string,
  signal: AbortSignal,
): Promise<Release> {
  try {
    const options = { signal, subject: 'reading a stored release', limitCode: 'too_large' } as const;
    return await workers.runSized((mayBeLarge) => workers.run(task, { encoded, mayBeLarge }, options), signal);
  } catch (cause) {
    if (!(cause instanceof TaskError)) throw cause;
    const code = cause.code === 'release_corrupt' ? 'release_corrupt' : 'release_too_large';
    throw new ReleaseError(code, cause.message, { cause });
  }
}

/** Returns about the size of a release as JSON. */
function textSize({ manifest, hooks = [], chart }: Release): number {
  const files = [...(chart.templates ?? []), ...(chart.files ?? [])];
  const texts = [manifest, ...hooks.map((hook) => hook.manifest), ...files.map(({ data }) => data ?? '')];
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Returns undefined if the release unpacks to more than {@link smallUnpacked}. */
async function decodeSmall(encoded: string): Promise<Release | undefined> {
  try {
    return await decodeRelease(encoded, smallUnpacked);
  } catch (error) {
    if (error instanceof ReleaseError && error.code === 'release_too_large') return undefined;
    throw error;
  }
}
