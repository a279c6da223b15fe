import type { ForwardedConnection } from '../../objects/cluster.ts';
import { longestTimeout } from '../../protocol/duration.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import type { RequestOf } from '../request.ts';
import { processTimer, type StartTimer, timeLimit } from '../time-limit.ts';
import { converse, openConversation } from './conversation.ts';
import { findContainer } from './find-container.ts';

/** Time without output after which a connection ends whose input has ended, in milliseconds. */
const silenceAfterInput = 30_000;

export const operation = operationOf('port_forward', {
  request: (payload) => payload,
  run: forward,
  answer: (outcome) => outcome,
});

/** Connects the sender of the command with a port of a pod. */
async function forward(context: OperationContext, request: RequestOf<'port_forward'>) {
  const limit = timeLimit(request.timeout ?? longestTimeout, [context.signal, context.abandon], context.startTimer);
  const { signal } = limit;
  try {
    const { namespace, name } = await findContainer({ ...context, signal }, request, 'portforward');
    const stream = await openConversation({ ...context, signal });
    try {
      const connection = await context.cluster.forwardPort({ namespace, name }, { port: request.port, signal });
      await converse(processLike(connection, context.startTimer), stream, {
        ...(request.idleTimeout !== undefined && { idleTimeout: request.idleTimeout }),
        startTimer: context.startTimer,
        signal,
      }).finally(() => connection.close());
      return { pod: name };
    } catch (error) {
      stream.destroy(error instanceof Error ? error : undefined);
      throw error;
    }
  } finally {
    limit.close();
  }
}

/**
 * Returns a connection as the end of a conversation. The API server has no message for the end of
 * the input, so a connection is closed if there is no output for a time after that.
 */
function processLike(connection: ForwardedConnection, startTimer: StartTimer = processTimer) {
  let hasInput = true;
  let isWaiting = false;
  let isSilent = false;
  let stopTimer: () => void = () => undefined;
  const wait = (isForOutput: boolean) => {
    isWaiting = isForOutput;
    stopTimer();
    if (hasInput || !isWaiting) return;
    stopTimer = startTimer(silenceAfterInput, () => {
      isSilent = true;
      connection.close();
    });
  };
  return {
    async *output() {
      try {
        wait(true);
        for await (const parts of connection.output()) {
          wait(false); // the caller may take its time to read
          yield { from: 'output' as const, parts };
          wait(true);
        }
      } catch (error) {
        if (!isSilent) throw error;
      } finally {
        wait(false);
      }
    },
    write: (bytes: Uint8Array) => connection.write(bytes),
    endInput() {
      hasInput = false;
      wait(isWaiting);
      return Promise.resolve();
    },
    resize: () => Promise.resolve(),
    close: () => connection.close(),
  };
}
