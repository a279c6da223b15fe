import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { abortable, abortReason } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import type { ContainerProcess, ContainerRef } from '../../objects/cluster.ts';
import { execControlSchema } from '../../protocol/commands/exec-pod.ts';
import { parseJson } from '../../protocol/json.ts';
import { maxSessionText,type SessionFacts } from '../../protocol/streams/command-stream.ts';
import { channels, encodeMessage, messagesFor, messagesOf } from '../../protocol/streams/messages.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import type { RequestOf } from '../request.ts';
import { durationText, processTimer, type StartTimer, timeLimit } from '../time-limit.ts';
import { findContainer } from './find-container.ts';

type Request = RequestOf<'exec_pod'>;

/** Programs that are tried in turn if a command names none. */
const shells = ['bash', 'sh', 'ash'];

/** Time after which a session ends, in milliseconds. */
const defaultTimeout = 168 * 3_600_000;

export const operation = operationOf('exec_pod', {
  request: (payload) => payload,
  run: exec,
  answer: (outcome) => outcome,
});

/** Runs a program in a container, and connects it with the sender of the command. */
async function exec(context: OperationContext, request: Request) {
  const limit = timeLimit(request.timeout ?? defaultTimeout, [context.signal, context.abandon], context.startTimer);
  const { signal } = limit;
  try {
    const seen = { ...context, signal };
    const target = await findContainer(seen, request);
    const command = request.command ?? [await findShell(seen, target)];
    const { stdin: input = false, tty = false, size } = request;
    const stream = await openReadStream(seen, sessionFacts(target, command, request));
    try {
      const process = await context.cluster.exec(target, { command, input, tty, signal });
      try {
        if (tty && size !== undefined) await process.resize(size);
        await converse(process, stream, { ...request, startTimer: context.startTimer, signal });
        return { exitCode: process.exitCode, pod: target.name, container: target.container };
      } finally {
        process.close();
      }
    } catch (error) {
      stream.destroy(error instanceof Error ? error : undefined);
      throw error;
    }
  } finally {
    limit.close();
  }
}

/** Opens the stream, and waits until the control plane lets the sender read it. */
async function openReadStream({ openStream: open, signal }: OperationContext, facts: SessionFacts): Promise<Duplex> {
  if (open === undefined) throw new OperationError('unsupported', 'programs can only be run through a control plane');
  const stream = await open(facts);
  try {
    const read = Promise.withResolvers<undefined>();
    const onClose = () => read.reject(lostError());
    stream.once('close', onClose);
    // it has no bytes, and is sent when the other end gives credit
    const empty = encodeMessage({ channel: channels.output, bytes: Buffer.alloc(0) });
    stream.write(empty, (error) => (error ? read.reject(lostError()) : read.resolve(undefined)));
    await abortable(read.promise, signal).finally(() => stream.off('close', onClose));
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

function sessionFacts({ name, container }: ContainerRef, command: readonly string[], request: Request): SessionFacts {
  const { tty = false, size, reason } = request;
  const program = shortened(command.join(' ').slice(0, maxSessionText));
  return {
    ...{ pod: name, container, command: program, tty },
    ...(size && { size }),
    ...(reason !== undefined && { reason: shortened(reason) }),
  };
}

/** Returns a text without what JSON would make longer. */
function shortened(text: string): string {
  return text.slice(0, maxSessionText).replace(/\p{C}/gu, '?');
}

/** Returns a shell that the container has. */
async function findShell({ cluster, signal }: OperationContext, target: ContainerRef): Promise<string> {
  for (const shell of shells) {
    const process = await cluster.exec(target, { command: [shell, '-c', 'exit 0'], input: false, tty: false, signal });
    try {
      await Readable.from(process.output()).toArray(); // it has none, and ends
      if (process.exitCode === 0) return shell;
    } catch (error) {
      signal.throwIfAborted();
      // the container runtime says so, in words of its own
      if (!/executable file not found|no such file|not found/i.test(messageOf(error))) throw error;
    } finally {
      process.close();
    }
  }
  throw new OperationError(
    'not_found',
    `the container ${target.container} has no shell (${shells.join(', ')}); name a program that it has`,
  );
}

interface Conversation {
  idleTimeout?: number;
  startTimer: StartTimer | undefined;
  signal: AbortSignal;
}

/** Passes input and output on until the process has ended and its output is sent. */
async function converse(
  process: ContainerProcess,
  stream: Duplex,
  { idleTimeout, startTimer, signal }: Conversation,
): Promise<void> {
  const over = new AbortController();
  const ended = AbortSignal.any([signal, over.signal]);
  const idle = idleLimit(idleTimeout, startTimer, (error) => over.abort(error));
  const onClose = () => over.abort(lostError());
  stream.once('close', onClose);
  ended.addEventListener('abort', () => process.close(), { once: true });
  try {
    void receive(process, stream, () => idle.reset()).catch((error: unknown) => over.abort(error));
    for await (const { from, bytes } of process.output()) {
      idle.reset();
      for (const message of messagesFor(channels[from], bytes)) {
        if (!stream.write(message)) await once(stream, 'drain', { signal: ended });
      }
    }
    stream.end();
    await finished(stream, { readable: false, signal: ended });
  } catch (error) {
    const reason = ended.aborted ? abortReason(ended) : error;
    stream.destroy(reason instanceof Error ? reason : undefined);
    throw reason;
  } finally {
    idle.close();
    stream.off('close', onClose);
  }
}

/** Passes on what the caller sends. What arrives after the end of the process is dropped. */
async function receive(process: ContainerProcess, stream: Duplex, onInput: () => void): Promise<void> {
  for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
    onInput();
    if (channel === channels.input) {
      await process.write(bytes);
      continue;
    }
    const control = execControlSchema.safeParse(parseControl(bytes));
    if (!control.success) throw new OperationError('bad_request', 'a control message does not follow docs/protocol.md');
    if (control.data.type === 'resize') await process.resize(control.data);
    else await process.endInput();
  }
}

function parseControl(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString());
  } catch {
    return undefined;
  }
}

function lostError(): OperationError {
  const text = 'the stream to the sender of the command has ended; the program may continue without input';
  return new OperationError('stream_lost', text);
}

/** Calls back with an error when `reset` was not called for a time. */
function idleLimit(
  milliseconds: number | undefined,
  startTimer: StartTimer = processTimer,
  onIdle: (error: Error) => void,
): { reset: () => void; close: () => void } {
  if (milliseconds === undefined) return { reset: () => undefined, close: () => undefined };
  const text = `the session had no input and no output for ${durationText(milliseconds)}`;
  const start = () => startTimer(milliseconds, () => onIdle(new OperationError('timeout', text)));
  let stop = start();
  return {
    reset() {
      stop();
      stop = start();
    },
    close: () => stop(),
  };
}
