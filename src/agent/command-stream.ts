import type { Duplex } from 'node:stream';
import { limitedTime } from '../async/index.ts';
import { OperationError } from '../operation/error.ts';
import type { CommandStreamHeader, SessionFacts } from '../protocol/streams/command-stream.ts';
import type { DirectStreams } from './connection/raw-shell.ts';
import type { TunnelSource } from './connection/tunnel-source.ts';

/**
 * Opens the stream between the command with a key and its sender. Rejects with `OperationError`
 * `unsupported` and `stream_lost`, and with the signal's reason.
 */
export type OpenCommandStream = (key: string, signal: AbortSignal, session?: SessionFacts) => Promise<Duplex>;

/** Time for a lost connection to come back, in milliseconds. */
const reconnectMs = 30_000;

/**
 * Returns a function that opens the streams of commands in the tunnel to the control plane, or to
 * senders that are connected to this process.
 */
export function commandStreams(
  tunnels: Pick<TunnelSource, 'tunnel'>,
  direct?: Pick<DirectStreams, 'get'>,
): OpenCommandStream {
  return async (key, signal, session) => {
    const own = direct?.get(key);
    if (own) return own;
    const time = limitedTime(reconnectMs, signal);
    try {
      const tunnel = await tunnels.tunnel('command', time.signal ?? signal);
      if (tunnel) {
        const header: CommandStreamHeader = { kind: 'command', key, ...(session && { session }) };
        const stream = tunnel.open(header);
        stream.on('error', () => undefined); // its user has listeners of its own
        return stream;
      }
    } catch (error) {
      if (!time.isOver()) throw error;
      throw new OperationError(
        'stream_lost',
        'the agent has no connection to its control plane; send the command again',
      );
    } finally {
      time.end();
    }
    const advice = 'send the command through a control plane of this version';
    throw new OperationError('unsupported', `the sender of the command cannot have a stream; ${advice}`);
  };
}
