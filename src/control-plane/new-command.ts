import { createHash } from 'node:crypto';
import * as z from 'zod';
import { maxReasonLength } from '../protocol/commands/exec-pod.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import { durationError, timeoutSchema } from '../protocol/duration.ts';
import { maxSentByLength } from '../protocol/limits.ts';
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

/** Returns a packet's payload. Values that are plain data become YAML text, as agents read them. */
export function payloadText({ payload = {} }: SendRequest): string {
  const { values } = payload;
  const read = Array.isArray(values) ? values.map(valuesText) : valuesText(values);
  return JSON.stringify(values === undefined ? payload : { ...payload, values: read });
}

/** JSON is YAML, too. */
function valuesText(values: unknown): unknown {
  return typeof values === 'object' && values !== null ? JSON.stringify(values) : values;
}

/** Returns a digest that says whether a key is used again for the same command. */
export function fingerprintOf({ type }: SendRequest, payload: string): string {
  return createHash('sha256').update(`${type}\n${payload}`).digest('hex');
}

/**
 * Returns the time in milliseconds for the agent to connect; see `deliverWithin`. Throws
 * `ControlPlaneError` `bad_request`.
 */
export function deliverWithinMs(
  request: SendRequest,
  payload: string,
  { isKnownAgent, table }: { isKnownAgent: boolean; table: CommandTable },
): number | false {
  const validated = validate(deliverWithinSchema, request.deliverWithin, 'deliverWithin');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data ?? (isKnownAgent && !onlyReads(request.type, payload, table) ? defaultDeliverWithinMs : false);
}

function onlyReads(type: string, payload: string, table: CommandTable): boolean {
  const known = table.find(type);
  if (type === 'cancel_command' || known === undefined) return false;
  const read = known.reader.safeParse(JSON.parse(payload));
  return read.success && known.definition.changes(read.data) === undefined;
}

/** Checks the name of a sender. Throws `ControlPlaneError` `bad_request`. */
export function requireSentBy(sentBy: string | undefined): void {
  const validated = validate(printableSchema(maxSentByLength).min(1).optional(), sentBy, 'sentBy');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

/** Checks the span of a sender. Throws `ControlPlaneError` `bad_request`. */
export function requireTraceparent(traceparent: string | undefined): void {
  const validated = validate(traceparentSchema.optional(), traceparent, 'traceparent');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

/** Returns why a command is sent, for the log; undefined if its payload does not say so. */
export function reasonOf({ payload }: SendRequest): string | undefined {
  const read = printableSchema(maxReasonLength).min(1).safeParse(payload?.['reason']);
  return read.success ? read.data : undefined;
}

/** Returns the digest of the uploaded chart that a command names; undefined if it names none. */
export function uploadedChart({ payload }: SendRequest): string | undefined {
  const { chartUpload } = payload ?? {};
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
