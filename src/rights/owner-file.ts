import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
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
  const readBounded = boundedReader(path);
  const read = async (): Promise<Content> => {
    try {
      const bytes = readBounded();
      if (last?.bytes.equals(bytes) === true) return last.content;
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      last = { bytes: Buffer.from(bytes), content: await parse(text) };
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

/**
 * Returns a function that reads a regular file, and does not wait for the writer of a pipe. Its
 * result is valid until the next call. It reads at once, because each of the four calls takes less
 * time than a thread to be given it.
 */
function boundedReader(path: string): () => Buffer {
  let buffer = Buffer.alloc(0);
  /** Returns the first bytes of a file, up to a number of them. */
  const readStart = (file: number, most: number): Buffer => {
    // a new one for each command is much garbage
    if (buffer.length < most) buffer = Buffer.allocUnsafeSlow(most);
    let length = 0;
    while (length < most) {
      const count = readSync(file, buffer, length, most - length, length);
      length += count;
      if (count === 0) break;
    }
    return buffer.subarray(0, length);
  };
  return () => {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error('it is not a file');
      const known = readStart(file, Math.min(stats.size, maxOwnerFileBytes) + 1);
      const bytes = known.length > stats.size ? readStart(file, maxOwnerFileBytes + 1) : known;
      if (bytes.length > maxOwnerFileBytes) throw new Error(`it has more than ${maxOwnerFileBytes} bytes`);
      return bytes;
    } finally {
      closeSync(file);
    }
  };
}
