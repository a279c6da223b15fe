import * as z from 'zod';
import { JsonTextError, parseJson } from './json.ts';
import {
  maxEnvelopeLength,
  maxKeyLength,
  maxPacketBytes,
  maxSentByLength,
  maxTextLength,
  maxTypeLength,
} from './limits.ts';
import { printableSchema } from './printable.ts';
import { traceparentSchema } from './traceparent.ts';
import { validate } from './validation.ts';

/** The content of a text frame, in both directions and in both forms of the protocol. */
export interface Packet {
  /** The command's id, chosen by its sender; every reply to the command has it. */
  key?: string;
  type: string;
  /** JSON text. */
  payload?: string;
  /** Number of the packet among those of its sender, if both ends resume. */
  seq?: number;
  /** Who has sent a command, as its control plane knows them. */
  sentBy?: string;
  /** The span that has sent a command, as in W3C Trace Context. */
  traceparent?: string;
  /** The signatures of a command: the JSON text of an envelope of DSSE. */
  envelope?: string;
}

/** An empty text and null count as absent. */
function textOrAbsent(maximum: number) {
  return z
    .string()
    .max(maximum)
    .nullish()
    .transform((text) => text || undefined);
}

/** Exported for the test of all maxima. @public */
export const packetSchema = z.object({
  key: textOrAbsent(maxKeyLength),
  type: z.string().min(1).max(maxTypeLength),
  payload: textOrAbsent(maxTextLength),
  // anything else is ignored, as a field that is not known
  seq: z.int().positive().optional().catch(undefined),
  sentBy: printableSchema(maxSentByLength).min(1).optional().catch(undefined),
  traceparent: traceparentSchema.optional().catch(undefined),
  envelope: z.string().min(1).max(maxEnvelopeLength).optional().catch(undefined),
});

/** A frame that is not a packet, or is too large. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
  readonly code: 'bad_packet' | 'too_large';
  /** The frame's `key`, if it could be read. */
  readonly key: string | undefined;
  /** The frame's `type`, if it could be read. */
  readonly type: string | undefined;

  constructor(
    message: string,
    { code = 'bad_packet', key, type }: { code?: PacketError['code'] } & Partial<Packet> = {},
  ) {
    super(message);
    this.code = code;
    this.key = key;
    this.type = type;
  }
}

/** Reads a frame. Throws `PacketError` if it is too large or not a packet. */
export function decodeFrame(frame: Buffer, isBinary: boolean): Packet {
  if (isBinary) throw new PacketError('packet: must be a text frame, not a binary frame');
  if (frame.length > maxPacketBytes) {
    const message = `the packet has ${frame.length} bytes; at most ${maxPacketBytes} are allowed`;
    throw new PacketError(message, { code: 'too_large', ...beginningOf(frame) });
  }
  return decodePacket(frame.toString('utf8'));
}

/** Reads a text frame. Throws `PacketError` if it is not a packet. */
export function decodePacket(text: string): Packet {
  const value = parseFrame(text);
  const validated = validate(packetSchema, value, 'the frame');
  if ('problems' in validated) {
    throw new PacketError(`packet: ${validated.problems.join('; ')}`, fieldsOf(value));
  }
  const { key, type, payload, seq, sentBy, traceparent, envelope } = validated.data;
  return {
    ...(key !== undefined && { key }),
    type,
    ...(payload !== undefined && { payload }),
    ...(seq !== undefined && { seq }),
    ...(sentBy !== undefined && { sentBy }),
    ...(traceparent !== undefined && { traceparent }),
    ...(envelope !== undefined && { envelope }),
  };
}

/** Writes a packet as the text of a frame. */
export function encodePacket(packet: Packet): string {
  const { key, type, payload, seq, sentBy, traceparent, envelope } = packet;
  return JSON.stringify({ key, type, payload, seq, sentBy, traceparent, envelope });
}

function parseFrame(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof JsonTextError ? new PacketError(`packet: ${error.message}`) : error;
  }
}

const readableFields = z.object({
  key: z.string().max(maxKeyLength).optional().catch(undefined),
  type: z.string().max(maxTypeLength).optional().catch(undefined),
});

/** Returns the key and the type of a value that is not a packet, if they can be read. */
function fieldsOf(value: unknown): Partial<Packet> {
  const { data: { key, type } = {} } = readableFields.safeParse(value);
  return { ...(key !== undefined && { key }), ...(type !== undefined && { type }) };
}

/** The fields before the payload, as most senders write a packet. */
const leadingFields = /^\s*\{(?:\s*"(?:key|type)"\s*:\s*"[^"\\]{0,256}"\s*,){1,2}/;

/** Returns the key and the type at the beginning of a frame that is too large to be parsed. */
function beginningOf(frame: Buffer): Partial<Packet> {
  const [fields] = leadingFields.exec(frame.toString('utf8', 0, 1024)) ?? [];
  if (fields === undefined) return {};
  try {
    return fieldsOf(JSON.parse(`${fields.slice(0, -1)}}`));
  } catch {
    return {};
  }
}
