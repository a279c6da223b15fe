import type { RawData, WebSocket } from 'ws';
import { messageOf } from '../../errors/index.ts';
import { type HeartbeatTimes, keepAlive } from '../../net/heartbeat.ts';
import { decodeFrame, encodePacket } from '../../protocol/packet.ts';
import { decodePayload } from '../../protocol/payload.ts';
import { challengeSchema } from '../../protocol/proof.ts';
import { bufferOf } from '../../protocol/session/frame-reader.ts';
import type { KeyProver } from '../key/agent-key.ts';
import type { Logger } from '../logger.ts';

export interface ProveKeyOptions {
  prover: KeyProver;
  heartbeat: HeartbeatTimes;
  /** Time for the control plane to decide about the proof, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal;
  log: Logger;
  /** Called in the turn in which the key is proved. */
  onProved: () => void;
  /** Called if the connection is closed before. */
  onClosed: (code: number, reason: string) => void;
  /** Called if the agent cannot prove its key. The connection is closed then. */
  onFailed: (error: unknown) => void;
}

/** Proves the key of an agent at a new socket. Call it in the turn in which the socket opened. */
export function proveKey(socket: WebSocket, options: ProveKeyOptions): void {
  const { prover, heartbeat, timeoutMs, signal, log, onProved, onClosed, onFailed } = options;
  const timer = setTimeout(
    () => fail(new Error('the control plane does not reply to the proof of the key')),
    timeoutMs,
  );
  const stopHeartbeat = keepAlive(socket, heartbeat, () => socket.terminate());
  const onError = () => undefined; // a socket with an error closes
  const abort = () => socket.terminate();
  const release = () => {
    clearTimeout(timer);
    stopHeartbeat();
    signal.removeEventListener('abort', abort);
    socket.off('message', onMessage);
    socket.off('close', onClose);
  };
  const fail = (error: unknown) => {
    release();
    socket.terminate();
    onFailed(error);
  };
  const onClose = (code: number, reason: Buffer) => {
    release();
    onClosed(code, reason.toString());
  };
  const receive = async (frame: Buffer, isBinary: boolean) => {
    const { type, payload } = decodeFrame(frame, isBinary);
    if (type === 'challenge') {
      const proof = await prover.answer(decodePayload(challengeSchema, payload));
      if (socket.readyState === socket.OPEN)
        socket.send(encodePacket({ type: 'proof', payload: JSON.stringify(proof) }));
    } else if (type === 'pending') {
      clearTimeout(timer);
      log.warn({}, 'the agent has enrolled, and waits until it is accepted at the control plane');
    } else if (type === 'proved') {
      release();
      onProved();
      socket.off('error', onError);
      await prover.proved().catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'cannot store that the key is enrolled; the next connection does it');
      });
    }
  };
  const onMessage = (data: RawData, isBinary: boolean) => {
    receive(bufferOf(data), isBinary).catch((error: unknown) => {
      if (socket.readyState === socket.OPEN) fail(error);
    });
  };
  socket.on('error', onError);
  socket.on('message', onMessage);
  socket.once('close', onClose);
  signal.addEventListener('abort', abort, { once: true });
}
