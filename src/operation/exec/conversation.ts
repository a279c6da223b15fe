import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import { abortable, abortReason } from '../../async/index.ts';
import type { ContainerProcess } from '../../objects/cluster.ts';
import { execControlSchema } from '../../protocol/commands/exec-pod.ts';
import { parseJson } from '../../protocol/json.ts';
import type { SessionFacts } from '../../protocol/streams/command-stream.ts';
import { channels, encodeMessage, messagesOf, writeMessages } from '../../protocol/streams/messages.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { durationText, processTimer, type StartTimer } from '../time-limit.ts';

/** The end of a conversation that is in the cluster. */
export type ConversationEnd = Omit<ContainerProcess, 'exitCode'>;

/** Opens the stream, and waits until the control plane lets the sender read it. */
export async function openConversation(
  { openStream: open, signal }: OperationContext,
  facts?: SessionFacts,
): Promise<Duplex> {
  if (open === undefined)
    throw new OperationError('unsupported', 'the command needs a stream; send it through a control plane');
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

interface Conversation {
  idleTimeout?: number;
  startTimer: StartTimer | undefined;
  signal: AbortSignal;
}

/** Passes input and output on until the process has ended and its output is sent. */
export async function converse(
  process: ConversationEnd,
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
    for await (const { from, parts } of process.output()) {
      idle.reset();
      await writeMessages(stream, { channel: channels[from], bytes: parts }, ended);
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
async function receive(process: ConversationEnd, stream: Duplex, onInput: () => void): Promise<void> {
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
  const text =
    'the stream to the sender of the command has ended; the program may continue without input, unless it was started with --kill';
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
