import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import * as z from 'zod';
import { abortReason } from '../../async/index.ts';
import type { SocketEnds } from '../../net/socket-ends.ts';
import { parseJson } from '../../protocol/json.ts';

/** The longest line of a handshake, in bytes. */
const maxLineBytes = 512;

/** Bytes of a nonce. */
const nonceBytes = 16;

export interface HandshakeOptions {
  secret: string;
  randomBytes: (size: number) => Uint8Array;
  /** Default: it takes any time. */
  signal: AbortSignal | null;
}

const addressSchema = z.string().refine((address) => isIP(address) !== 0);

const helloSchema = z.object({
  nonce: z.string().length(nonceBytes * 2),
  ends: z
    .object({
      remoteAddress: addressSchema,
      remotePort: z.int().min(1).max(65_535),
      localAddress: addressSchema,
    })
    .nullable(),
  mac: z.string(),
});

/**
 * Says to the leader whose connection follows, and checks that it knows the secret. Without `ends`,
 * no connection follows. Rejects if the other end is not the leader, and with the signal's reason.
 */
export async function greetLeader(
  socket: Socket,
  ends: SocketEnds | undefined,
  { secret, randomBytes, signal }: HandshakeOptions,
): Promise<void> {
  const challenge = await readLine(socket, signal);
  const nonce = newNonce(randomBytes);
  const named = ends ?? null;
  const mac = macOf(secret, ['relay', challenge, nonce, named]);
  socket.write(`${JSON.stringify({ nonce, ends: named, mac })}\n`);
  if (!isEqual(await readLine(socket, signal), macOf(secret, ['leader', challenge, nonce]))) {
    throw new Error('the other end is not the replica that leads');
  }
}

/**
 * Checks that another replica knows the secret, and returns the ends of the connection that it
 * relays; undefined if it only asks. Rejects if it does not, and with the signal's reason.
 */
export async function acceptReplica(
  socket: Socket,
  { secret, randomBytes, signal }: HandshakeOptions,
): Promise<SocketEnds | undefined> {
  const challenge = newNonce(randomBytes);
  socket.write(`${challenge}\n`);
  const { nonce, ends, mac } = helloSchema.parse(parseJson(await readLine(socket, signal)));
  if (!isEqual(mac, macOf(secret, ['relay', challenge, nonce, ends]))) {
    throw new Error('the other end is not a replica');
  }
  socket.write(`${macOf(secret, ['leader', challenge, nonce])}\n`);
  return ends ?? undefined;
}

function newNonce(randomBytes: HandshakeOptions['randomBytes']): string {
  return Buffer.from(randomBytes(nonceBytes)).toString('hex');
}

function macOf(secret: string, parts: readonly unknown[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Reads a line, after which the other end waits, and pauses the socket. Rejects if the line is too
 * long, if more follows, if the connection ends, and with the signal's reason.
 */
async function readLine(socket: Socket, signal: AbortSignal | null): Promise<string> {
  signal?.throwIfAborted();
  const line = Promise.withResolvers<string>();
  let text = '';
  const onData = (bytes: Buffer) => {
    text += bytes.toString('latin1');
    const end = text.indexOf('\n');
    if (end >= 0 && end === text.length - 1) line.resolve(text.slice(0, end));
    else if (end >= 0 || text.length > maxLineBytes) line.reject(new Error('a handshake does not have this form'));
  };
  const onEnd = () => line.reject(new Error('the connection has ended'));
  const onAbort = () => line.reject(signal && abortReason(signal));
  socket.on('data', onData).once('end', onEnd).once('close', onEnd).once('error', line.reject);
  signal?.addEventListener('abort', onAbort, { once: true });
  socket.resume();
  try {
    return await line.promise;
  } finally {
    socket.pause();
    socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', line.reject);
    signal?.removeEventListener('abort', onAbort);
  }
}
