import { pipeline } from 'node:stream/promises';
import type { Principal } from '../access/role.ts';
import { BearerWatch } from '../bearer-watch.ts';
import { whenClientGone } from '../client-gone.ts';
import { ControlPlaneError } from '../error.ts';
import type { Handler } from '../http-json.ts';
import type { Token } from '../token.ts';
import type { TrackedCommand } from '../tracked-command.ts';
import type { CommandStreams } from './command-streams.ts';

export interface StreamHandlerOptions {
  streams: Pick<CommandStreams, 'take' | 'kindOf'>;
  /** Returns a command that a user sees. Throws `command_not_found`. */
  commandOf: (principal: Principal, key: string) => TrackedCommand;
  /** The token of the readers; a stream ends when it has changed. Default: none. */
  token: Token | undefined;
}

/**
 * Returns the handler that sends what an agent writes into the stream of a command. The response is
 * cut off if the stream breaks off, and the command ends if the reader goes away.
 */
export function streamHandler({ streams, commandOf, token }: StreamHandlerOptions): Handler {
  const readers = new BearerWatch(token);
  return async ({ headers }, response, key, user) => {
    const command = commandOf(user.principal, key);
    requireStream(command, { kind: 'readable', streams, sentBy: user.principal.name });
    const gone = whenClientGone(response);
    const endWatch = readers.add(user, headers.authorization, gone);
    try {
      const { stream } = await streams.take(command, gone.signal);
      stream.end(); // readers send nothing
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
      response.flushHeaders();
      await pipeline(stream, response);
    } catch (error) {
      if (response.headersSent || gone.signal.aborted) response.destroy();
      else throw error;
    } finally {
      endWatch();
    }
  };
}

/** Rejects a caller who has not sent the command, and a command without a stream of the kind. */
export function requireStream(
  command: TrackedCommand,
  { kind, streams, sentBy }: { kind: string; streams: Pick<CommandStreams, 'kindOf'>; sentBy: string },
): void {
  if (command.record.sentBy !== sentBy) {
    throw new ControlPlaneError('forbidden', 'only those who have sent the command can open its stream');
  }
  if (streams.kindOf(command) === kind) return;
  const advice = kind === 'duplex' ? 'read it without an upgrade' : 'open it as a WebSocket';
  const problem = streams.kindOf(command) === undefined ? 'has no stream' : `has another kind of stream; ${advice}`;
  throw new ControlPlaneError('unsupported', `the command ${command.type} ${problem}`);
}
