import { Readable } from 'node:stream';
import { abortReason } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import type { ContainerProcess, ContainerRef, ExecOptions } from '../../objects/cluster.ts';
import { longestTimeout } from '../../protocol/duration.ts';
import { maxSessionText, type SessionFacts } from '../../protocol/streams/command-stream.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import type { RequestOf } from '../request.ts';
import { timeLimit } from '../time-limit.ts';
import { type ConversationEnd, converse, openConversation } from './conversation.ts';
import { hangUp, type KillableProgram, killableProgram } from './end-process.ts';
import { findContainer } from './find-container.ts';

type Request = RequestOf<'exec_pod'>;

/** Programs that are tried in turn if a command names none, with what makes them end. */
const shells = [
  ['bash', '-c', 'exit 0'],
  ['sh', '-c', 'exit 0'],
  ['ash', '-c', 'exit 0'],
  ['powershell', '-c', 'exit 0'],
  ['cmd', '/c', 'exit 0'],
] as const;

export const operation = operationOf('exec_pod', {
  request: (payload) => payload,
  run: exec,
  answer: (outcome) => outcome,
});

/** Runs a program in a container, and connects it with the sender of the command. */
async function exec(context: OperationContext, request: Request) {
  const limit = timeLimit(request.timeout ?? longestTimeout, [context.signal, context.abandon], context.startTimer);
  const { signal } = limit;
  try {
    const seen = { ...context, signal };
    const target = await findContainer(seen, request, 'exec');
    const command = request.command ?? [await findShell(seen, target)];
    const { stdin: input = false, tty = false, size, kill = false } = request;
    const program = kill ? killableProgram(context.id ?? '', command, tty) : undefined;
    const stream = await openConversation(seen, sessionFacts(target, command, request));
    try {
      const options = { command: program?.command ?? command, input, tty };
      const process = await startProcess(context, target, { ...options, signal });
      let hangingUp: Promise<void> | undefined;
      try {
        if (tty && size !== undefined) await process.resize(size);
        const connection = endOf(process, () => {
          hangingUp ??= hangUp(process, tty && input);
        });
        await converse(connection, stream, { ...request, startTimer: context.startTimer, signal });
        return { exitCode: process.exitCode, pod: target.name, container: target.container };
      } catch (error) {
        await hangingUp;
        if (program && context.abandon?.aborted !== true) await endProgram(program, { context, target, reason: error });
        throw error;
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

/** Starts a process whose connection outlives the signal, so that it can be ended in order. */
async function startProcess(
  { cluster }: OperationContext,
  target: ContainerRef,
  { signal, ...options }: ExecOptions,
): Promise<ContainerProcess> {
  const starting = new AbortController();
  const abort = () => starting.abort(abortReason(signal));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await cluster.exec(target, { ...options, signal: starting.signal });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns a process for a conversation that closes it in its own way. */
function endOf(process: ContainerProcess, close: () => void): ConversationEnd {
  return {
    output: () => process.output(),
    write: (bytes) => process.write(bytes),
    endInput: () => process.endInput(),
    resize: (size) => process.resize(size),
    close,
  };
}

/** Ends a program whose session has ended for a reason. Rejects if it may still run. */
async function endProgram(
  program: KillableProgram,
  { context, target, reason }: { context: OperationContext; target: ContainerRef; reason: unknown },
): Promise<void> {
  try {
    await program.kill(context.cluster, target);
  } catch (error) {
    const text = `${messageOf(reason)}; the program may still run, because it could not be ended: ${messageOf(error)}`;
    throw new OperationError('stream_lost', text, { cause: reason });
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
  for (const command of shells) {
    const [shell] = command;
    const process = await cluster.exec(target, { command, input: false, tty: false, signal });
    try {
      await Readable.from(process.output()).toArray(); // it has none, and ends
      if (process.exitCode === 0) return shell;
    } catch (error) {
      signal.throwIfAborted();
      // the container runtime says so, in words of its own
      if (!/executable file not found|no such file|not found|cannot find/i.test(messageOf(error))) throw error;
    } finally {
      process.close();
    }
  }
  throw new OperationError(
    'not_found',
    `the container ${target.container} has no shell (${shells.map(([shell]) => shell).join(', ')}); name a program that it has`,
  );
}
