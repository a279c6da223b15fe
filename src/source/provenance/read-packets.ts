import type {
  PublicKeyPacket,
  PublicSubkeyPacket,
  SecretKeyPacket,
  SecretSubkeyPacket,
  SignaturePacket,
} from 'openpgp';
import { framePackets, type RawPacket } from './frame-packets.ts';
import { type OpenPgp, PgpError } from './openpgp.ts';

export type KeyPacket = PublicKeyPacket | PublicSubkeyPacket | SecretKeyPacket | SecretSubkeyPacket;

/** A packet of a keyring or of a signature. */
type Packet =
  | { readonly kind: 'key'; readonly key: KeyPacket; readonly isSubkey: boolean; readonly isSecret: boolean }
  | { readonly kind: 'signature'; readonly signature: SignaturePacket }
  | { readonly kind: 'user id'; readonly id: Uint8Array }
  | { readonly kind: 'other' };

/** Packets in their order. */
export interface PacketReader {
  /**
   * Returns the next packet that Helm would read, undefined after the last one. Throws
   * {@link PgpError} for one that is malformed; the next call continues after it if it has an end.
   */
  next(): Promise<Packet | undefined>;
  /** Makes the next call return this packet. */
  unread(packet: Packet): void;
}

const tags = { signature: 2, secretKey: 5, publicKey: 6, secretSubkey: 7, marker: 10, trust: 12, userId: 13 };
const publicSubkey = 14;
const knownTags = [...Object.values(tags), publicSubkey, 1, 3, 4, 8, 9, 11, 17, 18, 20, 21];

/** Algorithms that Helm knows (go-crypto 1.4.1), by their numbers in OpenPGP. */
const hashes: readonly number[] = [2, 8, 9, 10, 11, 12, 14];
/** Those with which a key can sign. */
export const signingAlgorithms: readonly number[] = [1, 3, 17, 19, 22, 27, 28];
/** Type of a subpacket that the library does not know, but Helm does: the intended recipient. */
const intendedRecipient = 35;

/** Reads packets as Helm does (go-crypto: packet.Reader). */
export function createPacketReader(data: Uint8Array, openpgp: OpenPgp): PacketReader {
  const frames = framePackets(data);
  const unread: Packet[] = [];
  let failure: PgpError | undefined;

  /** Nothing after data that is not a packet can be read. */
  function nextFrame(): RawPacket | undefined {
    if (failure !== undefined) throw failure;
    try {
      return frames.next().value ?? undefined;
    } catch (error) {
      if (error instanceof PgpError) failure = error;
      throw error;
    }
  }

  return {
    unread: (packet) => void unread.push(packet),
    async next() {
      const again = unread.pop();
      if (again !== undefined) return again;
      for (;;) {
        const frame = nextFrame();
        if (frame === undefined) return undefined;
        const packet = await parse(frame, openpgp);
        if (packet !== undefined) return packet;
      }
    },
  };
}

/** Returns undefined for a packet that is skipped. */
async function parse(frame: RawPacket, openpgp: OpenPgp): Promise<Packet | undefined> {
  const { tag, body } = frame;
  if (tag === tags.marker || tag === tags.trust || tag >= 40) return undefined;
  if (!knownTags.includes(tag)) throw new PgpError('other', `openpgp: unknown critical packet type: ${tag}`);
  try {
    return await parseKnown(frame, openpgp);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    if (cause instanceof PgpError && cause.kind !== 'unsupported') throw cause;
    if (cause instanceof PgpError || cause.name === 'UnsupportedError') return undefined;
    throw new PgpError('structural', `a packet of type ${tag} with ${body.length} bytes cannot be read`, { cause });
  }
}

async function parseKnown({ tag, body }: RawPacket, openpgp: OpenPgp): Promise<Packet> {
  switch (tag) {
    case tags.signature:
      return { kind: 'signature', signature: readSignature(body, openpgp) };
    case tags.userId:
      return { kind: 'user id', id: body };
    case tags.publicKey:
      return readKey(new openpgp.PublicKeyPacket(), body, { isSubkey: false, isSecret: false });
    case publicSubkey:
      return readKey(new openpgp.PublicSubkeyPacket(), body, { isSubkey: true, isSecret: false });
    case tags.secretKey:
      return readKey(new openpgp.SecretKeyPacket(), body, { isSubkey: false, isSecret: true });
    case tags.secretSubkey:
      return readKey(new openpgp.SecretSubkeyPacket(), body, { isSubkey: true, isSecret: true });
    default:
      return { kind: 'other' };
  }
}

async function readKey(
  key: KeyPacket,
  body: Uint8Array,
  facts: { isSubkey: boolean; isSecret: boolean },
): Promise<Packet> {
  await key.read(body);
  if (key.version !== 4) throw new PgpError('unsupported', `public key version ${key.version}`);
  return { kind: 'key', key, ...facts };
}

function readSignature(body: Uint8Array, openpgp: OpenPgp): SignaturePacket {
  const signature = new openpgp.SignaturePacket();
  signature.read(body);
  requireSupported(signature);
  if (signature.embeddedSignature !== null) requireSupported(signature.embeddedSignature);
  return signature;
}

function requireSupported(signature: SignaturePacket): void {
  const { version, hashAlgorithm, publicKeyAlgorithm, exportable, unknownSubpackets } = signature;
  const isKnown =
    version === 4 && hashes.includes(hashAlgorithm ?? 0) && signingAlgorithms.includes(publicKeyAlgorithm ?? 0);
  const isUnderstood = unknownSubpackets.every(({ critical, type }) => !critical || type === intendedRecipient);
  if (!isKnown || !isUnderstood || exportable === false) throw new PgpError('unsupported', 'signature');
}
