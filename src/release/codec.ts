import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { codeOf } from '../errors/index.ts';
import { measureJson } from '../go/json-size.ts';
import { quote } from '../go/strconv.ts';
import { parseJsonTime } from '../go/time-parse.ts';
import { utc } from '../go/time-zone.ts';
import { ReleaseError } from './error.ts';
import type { Release } from './release.ts';
import { releaseSchema } from './schema.ts';

const compress = promisify(gzip);

/** Limit against compressed data made to exhaust memory. A release in a Secret is smaller. */
const maxDecodedBytes = 16 * 1024 * 1024;

/** Limit on the values in the JSON of a release, which take more memory than their text. */
const maxValues = 400_000;

/** Encodes and decodes releases, maybe in another thread. */
export interface ReleaseCodec {
  encode(release: Release, signal?: AbortSignal): Promise<string>;
  decode(encoded: string, signal?: AbortSignal): Promise<Release>;
}

/** Encodes and decodes in the calling thread. */
export const releaseCodec: ReleaseCodec = {
  encode: (release) => encodeRelease(release),
  decode: (encoded) => decodeRelease(encoded),
};

/** Encodes a release like Helm: JSON without an empty manifest, compressed with gzip, in base64. */
export async function encodeRelease(release: Release): Promise<string> {
  const { manifest, ...withoutManifest } = release;
  const json = JSON.stringify(manifest === '' ? withoutManifest : release);
  const compressed = await compress(json, { level: constants.Z_BEST_COMPRESSION });
  return compressed.toString('base64');
}

/**
 * Decodes a release of Helm 3, Helm 4 or {@link encodeRelease}. As in Helm, the JSON need not be
 * compressed. Throws {@link ReleaseError} `release_corrupt`, or `release_too_large` past the limit.
 */
export async function decodeRelease(text: string, limit = maxDecodedBytes): Promise<Release> {
  const jsonText = (await unpackRelease(text, limit)).toString('utf8');
  requireFewValues(jsonText);
  let data: unknown;
  try {
    data = JSON.parse(jsonText);
  } catch (cause) {
    throw new ReleaseError('release_corrupt', 'the stored release is not JSON', { cause });
  }
  return checkedRelease(data);
}

/**
 * Returns data as a release. Throws `release_corrupt` if a field is missing or of a wrong type, or
 * if Helm cannot read a time in it.
 */
export function checkedRelease(data: unknown): Release {
  const result = releaseSchema.safeParse(data);
  if (result.success) {
    requireTimes(result.data);
    return result.data;
  }
  const path = result.error.issues[0]?.path.join('.') ?? '';
  const field = path === '' ? 'it' : `its field ${path}`;
  throw new ReleaseError('release_corrupt', `the stored release is incomplete: ${field} is missing or of a wrong type`);
}

/** As in Helm, times may be empty (pkg/release/v1/info.go and hook.go). */
function requireTimes({ info, hooks = [] }: Release): void {
  const runs = hooks.flatMap(({ last_run: { started_at, completed_at } }) => [started_at, completed_at]);
  for (const time of [info.first_deployed, info.last_deployed, info.deleted, ...runs]) {
    if (time === undefined || time === '' || parseJsonTime(time, utc) !== undefined) continue;
    const text = quote(time.slice(0, 64));
    throw new ReleaseError('release_corrupt', `the stored release has a time that is not RFC 3339: ${text}`);
  }
}

/** Refuses JSON that is small as text and large once it is parsed. */
function requireFewValues(text: string): void {
  const { values } = measureJson(text, { depth: Infinity, values: maxValues, fields: Infinity });
  if (values <= maxValues) return;
  throw new ReleaseError('release_too_large', `the stored release has more than ${maxValues} values`);
}

const decompress = promisify(gunzip);

/**
 * Returns the bytes of a stored release: base64 of data that may be compressed with gzip. Throws
 * `release_corrupt`, or `release_too_large` past the limit.
 */
export async function unpackRelease(text: string, limit: number): Promise<Buffer> {
  const data = Buffer.from(text, 'base64');
  return isGzip(data) ? await unpackGzip(data, limit) : data;
}

function isGzip(data: Buffer): boolean {
  return data.length > 3 && data[0] === 0x1f && data[1] === 0x8b && data[2] === 0x08;
}

async function unpackGzip(compressed: Buffer, limit: number): Promise<Buffer> {
  try {
    return await decompress(compressed, { maxOutputLength: limit });
  } catch (cause) {
    if (codeOf(cause) === 'ERR_BUFFER_TOO_LARGE') {
      throw new ReleaseError('release_too_large', `the stored release unpacks to more than ${limit} bytes`, { cause });
    }
    throw new ReleaseError('release_corrupt', 'the stored release cannot be decompressed', { cause });
  }
}
