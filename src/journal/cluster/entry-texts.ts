import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode, isTemporary } from '../../objects/cluster-error.ts';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { type EntryHead, journalSecret, partRef, type TextField } from './entry-head.ts';

/** The requests that a journal sends. */
export type JournalCluster = Pick<Cluster, 'get' | 'list' | 'create' | 'apply' | 'mergePatch' | 'delete'>;

/** Compressed bytes of a text in the Secret of its entry, which holds 1 MiB with all of them. */
const maxInlineBytes = 300 * 1024;

/** Bytes of a text in a Secret of its own. */
export const maxPartBytes = 1000 * 1024;

export const fieldManager = 'helm-agent';

/** A compressed text. */
interface PackedText {
  /** Fields of the entry's Secret. */
  data: Record<string, string>;
  /** Contents of further Secrets. */
  parts: readonly string[];
  bytes: number;
}

interface StoredText extends Omit<PackedText, 'parts'> {
  /** Number of further Secrets. */
  parts: number;
}

/** Compresses a text, and divides one that is too large for the Secret of its entry. */
export async function packText(field: TextField, text: string): Promise<PackedText> {
  const packed = await compress(text);
  const bytes = packed.length;
  if (bytes <= maxInlineBytes) return { data: { [field]: packed.toString('base64') }, parts: [], bytes };
  return { data: {}, parts: partsOf(packed, maxPartBytes), bytes };
}

/** Stores the parts of a text that is too large for the Secret of its entry. */
export async function storeText(
  cluster: JournalCluster,
  ref: ObjectRef,
  agentId: string,
  field: TextField,
  text: string,
  signal: AbortSignal,
): Promise<StoredText> {
  const { parts, ...packed } = await packText(field, text);
  await storeParts(cluster, ref, agentId, field, parts, signal);
  return { ...packed, parts: parts.length };
}

/** Stores the further Secrets of a text. */
export async function storeParts(
  cluster: JournalCluster,
  ref: ObjectRef,
  agentId: string,
  field: TextField,
  parts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const [index, part] of parts.entries()) {
    const secret = journalSecret(partRef(ref, field, index), agentId, 'part', { part });
    await cluster.apply(secret, { fieldManager, force: true, signal });
  }
}

/** Returns a text of an entry, or undefined if it has none. */
export async function loadText(
  cluster: JournalCluster,
  secret: KubeObject,
  { parts }: Pick<EntryHead, 'parts'>,
  field: TextField,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name, namespace = '' } = secret.metadata;
  const ref = { apiVersion: 'v1', kind: 'Secret', name, namespace };
  const inline = stringAt(secret, 'data', field);
  if (inline !== undefined) return await unpack(joined([inline]));
  const texts: string[] = [];
  for (let index = 0; index < (parts[field] ?? 0); index += 1) {
    const part = await cluster.get(partRef(ref, field, index), signal);
    const text = stringAt(part, 'data', 'part');
    if (text === undefined) throw new Error(`journal: a part of the ${field} of ${name} does not exist`);
    texts.push(text);
  }
  return texts.length === 0 ? undefined : await unpack(joined(texts));
}

/** Deletes the further Secrets of a text. */
export async function deleteParts(
  cluster: JournalCluster,
  ref: ObjectRef,
  field: TextField,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  for (let index = 0; index < count; index += 1) await cluster.delete(partRef(ref, field, index), { signal });
}

/** Whether a request may succeed if it is sent again. */
export function isPassing(error: unknown): boolean {
  return isTemporary(error) || hasClusterErrorCode(error, 'conflict', 'quota_conflict');
}

const compress = promisify(gzip);
const uncompress = promisify(gunzip);

/** More than the largest packet, so that what was stored can be read. */
const maxTextBytes = 64 * 1024 * 1024;

/** Returns a text that was compressed. */
async function unpack(packed: Buffer): Promise<string> {
  return (await uncompress(packed, { maxOutputLength: maxTextBytes })).toString();
}

/** Returns the base64 of consecutive parts with at most `size` bytes. */
function partsOf(packed: Buffer, size: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < packed.length; start += size) {
    parts.push(packed.subarray(start, start + size).toString('base64'));
  }
  return parts;
}

/** Returns the bytes of parts in base64. */
function joined(parts: readonly string[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
}
