import { stat } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { codeOf } from '../../../errors/index.ts';
import type { CommandAnswers, CommandParameters } from '../../../protocol/commands/index.ts';
import type { SessionTerminal } from '../../dependencies.ts';
import { oneLine } from '../../text.ts';
import type { CopyCount } from './copy-count.ts';
import { splitPodPath } from './copy-place.ts';
import { packFiles } from './pack-files.ts';
import { unpackFiles } from './unpack-files.ts';

/** Most bytes of the errors of tar that are kept. */
const maxErrorBytes = 4096;

type Payload = CommandParameters['exec_pod'];

/**
 * Runs a program in a container, with what it reads and writes. Rejects with an error if it cannot
 * be run.
 */
export type RunProgram = (
  payload: Payload & { command: string[] },
  pipes: Partial<Pick<SessionTerminal, 'input' | 'write'>>,
) => Promise<CommandAnswers['exec_pod']>;

export interface Copy {
  /** Names the container. */
  payload: Omit<Payload, 'command'>;
  run: RunProgram;
  count: CopyCount;
  signal: AbortSignal;
}

/**
 * Copies a file or a folder into a container, into `target` if that is a folder, or with its name.
 * Returns the container. Rejects with an error if tar in the container fails.
 */
export async function upload(path: string, target: string, { payload, run, count, signal }: Copy) {
  await stat(path); // a wrong path changes nothing in the container
  const given = splitPodPath(target);
  const folder = posix.join(given.folder, given.name);
  const answer = await run({ ...payload, command: ['test', '-d', folder] }, {});
  const isFolder = answer.exitCode === 0;
  if (!isFolder && target.endsWith('/')) throw new Error(`${target} is not a folder in the container`);
  const place = isFolder ? { folder, name: basename(resolve(path)) } : given;
  // another pod may be ready now
  const exact = { ...payload, releaseName: undefined, name: answer.pod, container: answer.container };
  const archive = await packFiles(path, { name: place.name, count, signal });
  let unreadable: Error | undefined;
  archive.on('error', (error) => (unreadable = error));
  const errors = new ErrorText();
  const end = await run(
    { ...exact, stdin: true, command: ['tar', 'xpf', '-', '-C', place.folder] },
    { input: () => archive as AsyncIterable<Uint8Array>, write: (_to, bytes) => errors.add(bytes) },
  ).catch((error: unknown) => {
    throw unreadable ?? error;
  });
  if (end.exitCode !== 0) throw tarError(end.exitCode, errors);
  return end;
}

/**
 * Copies a file or a folder from a container, into `to` if that is a folder, or with its name.
 * Returns the container. Rejects with an error if tar in the container fails, or sends what is not
 * allowed.
 */
export async function download(source: string, to: string, { payload, run, count, signal }: Copy) {
  const { folder, name } = splitPodPath(source);
  const isFolder = await stat(to).then(
    (found) => found.isDirectory(),
    (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return false;
    },
  );
  const place = isFolder && name !== '.' ? join(to, name) : to;
  const bytes = new PassThrough();
  const errors = new ErrorText();
  const failed = new AbortController();
  const unpacking = unpackFiles(bytes, { name, to: place, count, signal: AbortSignal.any([signal, failed.signal]) });
  unpacking.catch(() => bytes.destroy());
  const running = run(
    { ...payload, command: ['tar', 'cf', '-', '-C', folder, name === '.' ? '.' : `./${name}`] },
    {
      async write(channel, part) {
        if (channel === 'error') await errors.add(part);
        else if (bytes.destroyed)
          await unpacking; // its error
        else if (!bytes.write(part)) await drained(bytes);
      },
    },
  );
  try {
    const end = await running;
    // a tar that has failed may have sent no archive, which says less
    if (end.exitCode !== 0 && count.files === 0) throw tarError(end.exitCode, errors);
    bytes.end();
    await unpacking;
    if (end.exitCode !== 0) throw tarError(end.exitCode, errors);
    return end;
  } catch (error) {
    failed.abort();
    await unpacking.catch(() => undefined); // it has failed by that, or its error is this one
    throw error;
  }
}

/** Resolves when a stream takes more, or is closed. */
async function drained(stream: PassThrough): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const drain = Promise.withResolvers<undefined>();
  stream.once('drain', drain.resolve);
  await Promise.race([drain.promise, finished(stream, { signal }).catch(() => undefined)]);
  over.abort();
  stream.off('drain', drain.resolve);
}

function tarError(exitCode: number, errors: ErrorText): Error {
  const problem = exitCode === 127 ? ' (the container needs tar)' : '';
  return new Error(`tar in the container has ended with ${exitCode}${problem}: ${errors.text()}`);
}

/** The first bytes of what a program writes to stderr. */
class ErrorText {
  #bytes = Buffer.alloc(0);

  add(bytes: Uint8Array): Promise<void> {
    if (this.#bytes.length < maxErrorBytes) this.#bytes = Buffer.concat([this.#bytes, bytes]);
    return Promise.resolve();
  }

  text(): string {
    return oneLine(this.#bytes.toString('utf8', 0, maxErrorBytes).trim()) || 'it has said no reason';
  }
}
