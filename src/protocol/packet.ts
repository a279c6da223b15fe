import { z } from 'zod';
import { MAX_KEY_LENGTH } from './limits.ts';

/** What travels in a text frame, in both directions and in both forms of the wire. `payload` is JSON text. */
export interface Packet {
  /** The command's id, chosen by who sends it; every answer carries it. */
  key?: string;
  type: string;
  payload?: string;
}

const absentWhenEmpty = z
  .string()
  .nullish()
  .transform((text) => text || undefined);

const packetSchema = z.object({
  key: absentWhenEmpty.refine((key) => key === undefined || key.length <= MAX_KEY_LENGTH, {
    error: `is longer than ${String(MAX_KEY_LENGTH)} characters`,
  }),
  type: z.string({ error: 'is missing' }).min(1, 'is missing'),
  payload: absentWhenEmpty,
});

/** A frame that is no packet. `key` and `type` are what could be read of it. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code = 'bad_packet';
  readonly key: string | undefined;
  readonly type: string | undefined;

  constructor(message: string, key?: string, type?: string) {
    super(message);
    this.key = key;
    this.type = type;
  }
}

/** Reads a text frame. Throws `PacketError` where it is no packet. */
export function decodePacket(text: string): Packet {
  const value = parseJson(text);
  const parsed = packetSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.');
    const message = field ? `packet: ${field} ${issue?.message ?? ''}` : 'packet: not a JSON object';
    throw new PacketError(message, fieldOf(value, 'key'), fieldOf(value, 'type'));
  }
  const { key, type, payload } = parsed.data;
  return { ...(key !== undefined && { key }), type, ...(payload !== undefined && { payload }) };
}

/** Writes a packet as the text of a frame. */
export function encodePacket(packet: Packet): string {
  return JSON.stringify({ key: packet.key, type: packet.type, payload: packet.payload });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON.parse's message quotes the text, which may hold a password
    throw new PacketError('packet: not JSON');
  }
}

function fieldOf(value: unknown, field: 'key' | 'type'): string | undefined {
  const found = z.object({ [field]: z.string().max(MAX_KEY_LENGTH) }).safeParse(value);
  return found.success ? found.data[field] : undefined;
}
