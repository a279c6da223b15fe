import { hash } from 'node:crypto';
import * as z from 'zod';
import { maxReasonLength } from '../protocol/commands/exec-pod.ts';
import { durationError, timeoutSchema } from '../protocol/duration.ts';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxEnvelopeLength, maxSentByLength } from '../protocol/limits.ts';
import { printableSchema } from '../protocol/printable.ts';
import { traceparentSchema } from '../protocol/traceparent.ts';
import { validate } from '../protocol/validation.ts';
import type { SendRequest } from './command-methods.ts';
import { ControlPlaneError } from './error.ts';
import type { CommandRecord } from './store/command-store.ts';

/** Time for an agent to connect. */
const defaultDeliverWithinMs = 24 * 3_600_000;

const deliverWithinSchema = z
  .union([timeoutSchema, z.literal(false)], {
    error: durationError(
      'must be a duration such as 10m, or a number of seconds, more than 0 and at most 168h, or false',
    ),
  })
  .optional();

/** The payload of a packet, as text and as its fields. */
export interface PacketPayload {
  text: string;
  fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns a packet's payload. A text stays as it is, because it may be signed. Values that are
 * plain data become YAML text, as agents read them. Throws `ControlPlaneError` `bad_request`.
 */
export function packetPayload({ payload = {} }: SendRequest): PacketPayload {
  if (typeof payload === 'string') return { text: payload, fields: fieldsOf(payload) };
  const { values } = payload;
  const read = Array.isArray(values) ? values.map(valuesText) : valuesText(values);
  const text = JSON.stringify(values === undefined ? payload : { ...payload, values: read });
  return { text, fields: JSON.parse(text) as PacketPayload['fields'] }; // an object before
}

const fieldsSchema = z.record(z.string(), z.unknown());

function fieldsOf(text: string): PacketPayload['fields'] {
  try {
    const validated = validate(fieldsSchema, parseJson(text), 'the payload');
    if ('data' in validated) return validated.data;
    throw new ControlPlaneError('bad_request', `payload: ${validated.problems.join('; ')}`);
  } catch (error) {
    throw error instanceof JsonTextError ? new ControlPlaneError('bad_request', `payload: ${error.message}`) : error;
  }
}

/** JSON is YAML, too. */
function valuesText(values: unknown): unknown {
  return typeof values === 'object' && values !== null ? JSON.stringify(values) : values;
}

/** Returns a digest that says whether a key is used again for the same command. */
export function fingerprintOf({ type }: Pick<SendRequest, 'type'>, payload: string): string {
  return hash('sha256', `${type}\n${payload}`);
}

/**
 * Returns the time in milliseconds for the agent to connect; see `deliverWithin`. `waits` says
 * whether the command waits for its agent by default. Throws `ControlPlaneError` `bad_request`.
 */
export function deliverWithinMs(request: SendRequest, { waits }: { waits: boolean }): number | false {
  const validated = validate(deliverWithinSchema, request.deliverWithin, 'deliverWithin');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data ?? (waits ? defaultDeliverWithinMs : false);
}

const sentBySchema = printableSchema(maxSentByLength).min(1).optional();

/** Checks the name of a sender. Throws `ControlPlaneError` `bad_request`. */
export function requireSentBy(sentBy: string | undefined): void {
  const validated = validate(sentBySchema, sentBy, 'sentBy');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

/**
 * Checks the size of signatures, which only agents verify. Throws `ControlPlaneError`
 * `bad_request`.
 */
export function requireEnvelope(envelope: string | undefined): void {
  const validated = validate(envelopeSchema, envelope, 'envelope');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

const envelopeSchema = z.string().min(1).max(maxEnvelopeLength).optional();

const optionalTraceparentSchema = traceparentSchema.optional();

/** Checks the span of a sender. Throws `ControlPlaneError` `bad_request`. */
export function requireTraceparent(traceparent: string | undefined): void {
  const validated = validate(optionalTraceparentSchema, traceparent, 'traceparent');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

/**
 * Checks that a key or a payload is text that can be sent and stored as it is, without lone
 * surrogates. Throws `ControlPlaneError` `bad_request`.
 */
export function requireText(text: string, name: string): void {
  if (text.isWellFormed()) return;
  throw new ControlPlaneError('bad_request', `${name} must be Unicode text without lone surrogates`);
}

const reasonSchema = printableSchema(maxReasonLength).min(1);

/** Returns why a command is sent, for the log; undefined if its payload does not say so. */
export function reasonOf({ fields }: PacketPayload): string | undefined {
  const { reason } = fields;
  return typeof reason === 'string' ? reasonSchema.safeParse(reason).data : undefined;
}

/** Returns the digest of the uploaded chart that a command names; undefined if it names none. */
export function uploadedChart({ fields }: PacketPayload): string | undefined {
  const { chartUpload } = fields;
  return typeof chartUpload === 'string' && chartUpload !== '' ? chartUpload : undefined;
}

/** Returns a command that is not stored yet. */
export function newRecord(
  fields: Pick<
    CommandRecord,
    | 'key'
    | 'agentId'
    | 'type'
    | 'fingerprint'
    | 'payload'
    | 'chart'
    | 'instanceId'
    | 'expiresAt'
    | 'sentBy'
    | 'traceparent'
    | 'envelope'
    | 'namespace'
    | 'releaseName'
    | 'createdAt'
  >,
): CommandRecord {
  const isConnected = fields.instanceId !== undefined;
  return {
    ...fields,
    ...{ state: isConnected ? 'sent' : 'waiting', isConnected, isDurable: false },
    ...{ lastEvent: 0, lastStatus: 0, lastEvidence: 0, bytes: 0 },
  };
}
