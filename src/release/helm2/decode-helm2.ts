import { messageOf } from '../../errors/index.ts';
import { checkedRelease, unpackRelease } from '../codec.ts';
import { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import { convertRelease } from './convert-release.ts';
import { readProtobuf } from './protobuf-message.ts';

/** Reads a release as Tiller has encoded it, maybe in another thread. */
export type Helm2Decoder = (encoded: string, signal?: AbortSignal) => Promise<Release>;

/**
 * Returns a release that Tiller has encoded as one of Helm 3: base64 of a compressed protobuf
 * message. Throws {@link ReleaseError} `release_corrupt`, or `release_too_large` past the limit.
 */
export async function decodeHelm2Release(encoded: string, limit: number): Promise<Release> {
  const data = await unpackRelease(encoded, limit);
  try {
    return checkedRelease(convertRelease(readProtobuf(data)));
  } catch (cause) {
    if (cause instanceof ReleaseError) throw cause;
    const reason = messageOf(cause);
    throw new ReleaseError('release_corrupt', `the stored release is not one of Helm 2: ${reason}`, { cause });
  }
}
