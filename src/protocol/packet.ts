import { z } from 'zod';
import { maxKeyLength } from './limits.ts';
import { validate } from './validation.ts';

/** The content of a text frame, in both directions and in both forms of the protocol. */
export interface Packet {
  /** The command's id, chosen by its sender; every reply to the command has it. */
  key?: string;
  type: string;
  /** JSON text. */
  payload?: string;
}

const textOrAbsent = z
  .string()
  .nullish()
  .transform((text) => text || undefined);

const packetSchema = z.object({
  key: textOrAbsent.refine((key) => key === undefined || key.length <= maxKeyLength, {
    error: `must have at most ${String(maxKeyLength)} characters`,
  }),
  type: z.string().min(1),
  payload: textOrAbsent,
});

/** A frame that is not a packet. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code = 'bad_packet';
  /** The frame's `key`, if it could be read. */
  readonly key: string | undefined;
  /** The frame's `type`, if it could be read. */
  readonly type: string | undefined;

  constructor(message: string, key?: string, type?: string) {
    super(message);
    this.key = key;
    this.type = type;
  }
}

/** Reads a text frame. Throws `PacketError` if it is not a packet. */
export function decodePacket(text: string): Packet {
  const value = parseJson(text);
  const validated = validate(packetSchema, value, 'the frame');
  if ('problems' in validated) {
    throw new PacketError(`packet: ${validated.problems.join('; ')}`, fieldOf(value, 'key'), fieldOf(value, 'type'));
  }
  const { key, type, payload } = validated.data;
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
    // JSON.parse quotes the text, which may hold a password
    throw new PacketError('packet: must be JSON text');
  }
}

function fieldOf(value: unknown, field: 'key' | 'type'): string | undefined {
  const found = z.object({ [field]: z.string().max(maxKeyLength) }).safeParse(value);
  return found.success ? found.data[field] : undefined;
}
