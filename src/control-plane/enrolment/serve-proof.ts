import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { messageOf } from '../../errors/index.ts';
import { closeSocket } from '../../net/close-socket.ts';
import { type HeartbeatTimes, keepAlive } from '../../net/heartbeat.ts';
import { limitBytes } from '../../net/limit-bytes.ts';
import { closeCodes } from '../../protocol/close-codes.ts';
import { decodeFrame, encodePacket, PacketError } from '../../protocol/packet.ts';
import { decodePayload, PayloadError } from '../../protocol/payload.ts';
import { type Proof, proofSchema } from '../../protocol/proof.ts';
import { bufferOf } from '../../protocol/session/frame-reader.ts';
import type { AgentIdentity } from '../identity.ts';
import type { Logger } from '../logger.ts';
import type { AgentKeys, Verdict } from './agent-keys.ts';

export interface ServeProofOptions {
  keys: Pick<AgentKeys, 'audience' | 'judge'>;
  heartbeat: HeartbeatTimes;
  /** Time for an agent to prove its key, in milliseconds. */
  timeoutMs: number;
  /** Returns a nonce that was never used. */
  newNonce: () => string;
  log: Logger;
  /** Called in the turn in which the key is proved. The agent's next packet is `hello`. */
  onProved: (identity: AgentIdentity) => void;
}

/** Bytes that an agent may send until its key is proved. */
const maxProofBytes = 16 * 1024;

/** An agent proves its key, and once more after it has announced another one. */
const maxChallenges = 2;

/**
 * Asks the agent at a new socket to prove its key. The socket is closed if the agent does not do so
 * in time, or sends anything else. Returns a function that closes it unless the key is proved.
 */
export function serveProof(socket: WebSocket, stream: Duplex, options: ServeProofOptions): () => void {
  const { keys, heartbeat, timeoutMs, newNonce, log, onProved } = options;
  /** The nonce that the next proof must have; undefined if none is expected. */
  let nonce: string | undefined;
  let challenges = 0;
  const send = (type: string, payload: object = {}) =>
    socket.send(encodePacket({ type, payload: JSON.stringify(payload) }));
  const close = (code: number, reason: string) => {
    release();
    closeSocket(socket, code, reason);
  };
  const timer = setTimeout(() => close(closeCodes.protocolViolation, 'no proof'), timeoutMs);
  const stopCounting = limitBytes(stream, maxProofBytes, () => socket.terminate());
  const stopHeartbeat = keepAlive(socket, heartbeat, () => socket.terminate());
  let stopWaiting: (() => void) | undefined;
  const onError = () => undefined; // a socket with an error closes
  const release = () => {
    clearTimeout(timer);
    stopCounting();
    stopHeartbeat();
    stopWaiting?.();
    socket.off('message', onMessage);
    socket.off('close', release);
  };
  const challenge = () => {
    nonce = newNonce();
    challenges++;
    send('challenge', { audience: keys.audience, nonce });
  };
  const prove = (identity: AgentIdentity) => {
    release();
    onProved(identity);
    socket.off('error', onError);
    send('proved');
  };
  const onVerdict = (verdict: Verdict) => {
    if (socket.readyState !== socket.OPEN) return;
    switch (verdict.kind) {
      case 'proved': {
        prove(verdict.identity);
        return;
      }
      case 'announced': {
        if (challenges < maxChallenges) challenge();
        else close(closeCodes.protocolViolation, 'the announced key was not proved');
        return;
      }
      case 'pending': {
        clearTimeout(timer);
        stopWaiting = verdict.wait((identity) => {
          if (identity) prove(identity);
          else close(closeCodes.revoked, 'the agent was not accepted');
        });
        send('pending');
        return;
      }
      case 'refused': {
        close(verdict.code, verdict.reason);
        return;
      }
    }
  };
  const onMessage = (data: RawData, isBinary: boolean) => {
    if (socket.readyState !== socket.OPEN) return;
    const expected = nonce;
    nonce = undefined;
    const proof = expected === undefined ? undefined : readProof(bufferOf(data), isBinary);
    if (expected === undefined || !proof) {
      close(closeCodes.protocolViolation, 'the packet is not a proof');
      return;
    }
    keys.judge(proof, expected).then(onVerdict, (error: unknown) => {
      log.warn({ reason: messageOf(error) }, 'cannot judge the proof of an agent');
      close(1011, 'the control plane failed; see its log');
    });
  };
  socket.on('error', onError);
  socket.on('message', onMessage);
  socket.once('close', release);
  challenge();
  return () => close(1001, 'the control plane is shutting down');
}

function readProof(frame: Buffer, isBinary: boolean): Proof | undefined {
  try {
    const packet = decodeFrame(frame, isBinary);
    return packet.type === 'proof' ? decodePayload(proofSchema, packet.payload) : undefined;
  } catch (error) {
    if (error instanceof PacketError || error instanceof PayloadError) return undefined;
    throw error;
  }
}
