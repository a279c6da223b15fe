import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Hello } from '../../../src/protocol/messages.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { type Challenge, type Proof, proofText } from '../../../src/protocol/proof.ts';
import { keySubprotocol } from '../../../src/protocol/subprotocol.ts';

/** A key pair of an agent. */
export interface TestKey {
  privateKey: KeyObject;
  /** The public key as proofs have it. */
  key: string;
}

export function newKey(): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, key: publicKey.export({ format: 'jwk' }).x ?? '' };
}

export type ProofFields = Partial<Omit<Proof, 'key' | 'signature'>>;

/** Returns a proof for a challenge, as an agent makes it. */
export function proofOf(challenge: Challenge, { privateKey, key }: TestKey, fields: ProofFields = {}): Proof {
  const proof = { agentId: 'edge-1', key, ...fields };
  return { ...proof, signature: sign(null, proofText(challenge, proof), privateKey).toString('base64url') };
}

/** A socket that speaks the protocol by hand, and the packets that it gets. */
export interface KeyedSocket {
  socket: WebSocket;
  challenge: Challenge;
  /** Returns the next packet; its type is `closed` when the connection is closed. */
  next: () => Promise<{ type: string; code?: number; reason?: string; payload: Challenge }>;
  send: (type: string, payload: unknown) => void;
}

/** Opens a socket up to the challenge of the control plane. */
export async function keyedSocket(url: string): Promise<KeyedSocket> {
  const socket = new WebSocket(url, [keySubprotocol, 'helm-agent.v1']);
  const arrived: Array<Awaited<ReturnType<KeyedSocket['next']>>> = [];
  const waiting: Array<(packet: (typeof arrived)[number]) => void> = [];
  const give = (packet: (typeof arrived)[number]) => {
    const resolve = waiting.shift();
    if (resolve) resolve(packet);
    else arrived.push(packet);
  };
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    const { type, payload = '{}' } = JSON.parse(data.toString()) as Packet;
    give({ type, payload: JSON.parse(payload) as Challenge });
  });
  socket.on('close', (code, reason) => {
    give({ type: 'closed', code, reason: reason.toString(), payload: { audience: '', nonce: '' } });
  });
  const next = async () =>
    arrived.shift() ?? (await new Promise<(typeof arrived)[number]>((resolve) => waiting.push(resolve)));
  await once(socket, 'open');
  const { payload: challenge } = await next();
  const send: KeyedSocket['send'] = (type, payload) =>
    socket.send(JSON.stringify({ type, payload: JSON.stringify(payload) }));
  return { socket, challenge, next, send };
}

/** Says hello on a socket whose key is proved. Resolves when the agent is welcome. */
export async function sayHello(
  { send, next }: KeyedSocket,
  agentId = 'edge-1',
  instanceId = 'a',
  fields: Partial<Hello> = {},
) {
  send('hello', {
    ...{ agentId, instanceId, version: '1', capabilities: ['install_release'], durable: true },
    limits: { maxPacketBytes: 1_000_000 },
    ...fields,
  });
  return await next();
}

/** Connects, proves a key, and returns the reply: `proved`, `pending`, `challenge` or `closed`. */
export async function prove(url: string, key: TestKey, fields: ProofFields = {}) {
  const keyed = await keyedSocket(url);
  keyed.send('proof', proofOf(keyed.challenge, key, fields));
  const reply = await keyed.next();
  return { ...keyed, reply };
}
