import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import type { Value } from '../go/value.ts';
import { duplicateKeyProblem } from '../yaml/duplicate-keys.ts';
import { readYaml } from '../yaml/read.ts';

/** Most bytes of a file of the cluster's owner. */
export const maxOwnerFileBytes = 256 * 1024;

/**
 * Reads a YAML text by a schema. Throws an Error that says what is wrong, and where. The text ends
 * with the field of `lastLine`, such as `default: none`, and a line break: one that is half written
 * is refused.
 */
export function readOwnerFile<Content>(text: string, schema: z.ZodType<Content>, lastLine: string): Content {
  if (Buffer.byteLength(text) > maxOwnerFileBytes) throw new Error(`it has more than ${maxOwnerFileBytes} bytes`);
  if (/^(?:---|\.\.\.)(?:\s|$)/m.test(text.replace(/^---\s/, ''))) throw new Error('it has more than one document');
  const content = plain(readYaml(text, 0));
  const duplicates = duplicateKeyProblem(text);
  if (duplicates !== '') throw new Error(duplicates);
  const [last = ''] = lastLine.split(':');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error(`it must have the fields rules and ${last}`);
  }
  if (Object.keys(content).at(-1) !== last || !text.endsWith('\n')) {
    throw new Error(
      `its last field must be ${last}, such as "${lastLine}", with a line break: the file may be incomplete`,
    );
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const path = (first?.path ?? [])
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('');
  throw new Error(`${path.replace(/^\./, '') || 'the file'}: ${first?.message ?? messageOf(parsed.error)}`);
}

/** Returns plain data. Numbers and other scalars stay what they are: no field has them. */
function plain(value: Value): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, item]) => [key, plain(item as Value)]));
  return Array.isArray(value) ? value.map((item: Value) => plain(item)) : value;
}

/**
 * Opens a file that is read again for each command, so that a change counts at once. Returns a
 * function that returns the present content; its calls keep their order. Rejects, as the function
 * does, with what `failure` returns for the problem of a file that is wrong.
 */
export async function openOwnerFile<Content>(
  path: string,
  parse: (text: string) => Content | Promise<Content>,
  failure: (problem: string, cause: unknown) => Error,
): Promise<() => Promise<Content>> {
  let last: { bytes: Buffer; content: Content } | undefined;
  const read = async (): Promise<Content> => {
    try {
      const bytes = await readBounded(path);
      if (last?.bytes.equals(bytes) === true) return last.content;
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      last = { bytes, content: await parse(text) };
      return last.content;
    } catch (cause) {
      throw failure(messageOf(cause), cause);
    }
  };
  let reading: Promise<unknown> = read();
  await reading;
  return () => {
    const next = reading.then(read, read);
    reading = next.catch(() => undefined);
    return next;
  };
}

/** Reads a regular file. Does not wait for the writer of a pipe. */
async function readBounded(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error('it is not a file');
    // a buffer of the largest size for each command is much garbage
    const known = await readStart(file, Math.min(stats.size, maxOwnerFileBytes) + 1);
    const bytes = known.length > stats.size ? await readStart(file, maxOwnerFileBytes + 1) : known;
    if (bytes.length > maxOwnerFileBytes) throw new Error(`it has more than ${maxOwnerFileBytes} bytes`);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Returns the first bytes of a file, up to a number of them. */
async function readStart(file: FileHandle, most: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await file.read(buffer, length, most - length, length);
    length += bytesRead;
    if (bytesRead === 0) break;
  }
  return buffer.subarray(0, length);
}
