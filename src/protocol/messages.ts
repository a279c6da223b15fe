import * as z from 'zod';
import { agentIdSchema } from './agent-id.ts';
import type { CommandAnswers, CommandType } from './commands/index.ts';
import { driftSchema, maxDrifted } from './drift.ts';
import { evidenceSchema } from './evidence.ts';
import { maxKeyLength, maxTypeLength } from './limits.ts';
import { logSchema } from './log.ts';
import { maxChangedObjects, objectChangeSchema } from './object-change.ts';
import { paceSchema } from './pace.ts';
import { printableSchema } from './printable.ts';
import { challengeSchema, pendingSchema, proofSchema, provedSchema } from './proof.ts';
import { maxMessageLength, maxNameLength, resourceSchema } from './resource.ts';

/** Number of resources in one status packet. Agents send several packets for more. */
export const maxResources = 1000;

const epochSchema = z.string().min(1).max(128);

const seriesPositionSchema = z.object({
  epoch: epochSchema.describe('Id of the series'),
  seq: z.int().nonnegative().describe('Number of its last packet that was received and will not be lost'),
});
/** How far the packets of a series were received. */
export type SeriesPosition = z.output<typeof seriesPositionSchema>;

const resumeSchema = z.object({
  epoch: epochSchema.describe('Id of the series in which the sender numbers its packets, as `seq`, from 1'),
  acknowledged: z.int().nonnegative().describe('Number of the last packet of it that was acknowledged'),
  received: seriesPositionSchema.optional().describe('How far the sender has received the series of the other end'),
});
/** The part of a greeting from which the other end knows what to send again. */
export type Resume = z.output<typeof resumeSchema>;

/** Types of packets that not every peer knows. */
const optionalPacketsSchema = z.array(printableSchema(maxTypeLength)).max(256).optional();
const streamsSchema = z
  .array(printableSchema(maxTypeLength))
  .max(256)
  .optional()
  .describe('The kinds of streams that the sender knows. Default: it must get no binary frames');

/** The first packet of an agent on every connection. */
export const helloSchema = z.object({
  agentId: agentIdSchema.describe('Id of the agent'),
  instanceId: printableSchema(128)
    .min(1)
    .describe("Id of the agent's process; with leader election, of one of its terms as the leader"),
  processId: printableSchema(128)
    .min(1)
    .optional()
    .describe("Id of the agent's process in all its terms. Default: `instanceId`"),
  version: printableSchema(128).describe('Version of helm-agent'),
  capabilities: z.array(printableSchema(maxTypeLength)).max(256).describe('The commands that the agent knows'),
  limits: z.object({ maxPacketBytes: z.number().describe('The largest packet that the agent accepts') }),
  streams: streamsSchema,
  elected: z
    .boolean()
    .optional()
    .describe('Whether the process works only while no other one of its cluster does. Default: false'),
  durable: z
    .boolean()
    .optional()
    .describe("Whether commands that change a release survive the agent's process. Default: false"),
  packets: optionalPacketsSchema.describe(
    'Types of packets that the agent sends only to a control plane that takes them: `log`, `health`, `journaled`',
  ),
  packetFields: optionalPacketsSchema.describe(
    'Fields of packets that the agent knows besides `key`, `type`, `payload` and `seq`: `sentBy`, `traceparent`, `envelope`. Default: none',
  ),
  pace: z.boolean().optional().describe('Whether the agent obeys `pace` in `welcome`. Default: false'),
  resume: resumeSchema
    .extend({ connection: z.int().positive().describe("Counts the connections of the agent's process from 1") })
    .optional()
    .describe('The state of the series of packets, if the agent numbers and acknowledges packets'),
});
export type Hello = z.output<typeof helloSchema>;

/** Number of characters of the reason why a cluster does not respond. */
export const maxHealthReason = 500;

/** Sent by an agent when its connection begins and when its state changes. */
export const healthSchema = z.object({
  cluster: z
    .object({
      reachable: z.boolean().describe('Whether the API server of the cluster responds'),
      since: printableSchema(64).describe('When that was found out, RFC 3339'),
      reason: printableSchema(maxHealthReason).optional().describe('Why it does not respond'),
    })
    .describe("State of the agent's cluster"),
});
export type Health = z.output<typeof healthSchema>;

/** A control plane's reply to `hello`. Agents do not need it. */
export const welcomeSchema = z.object({
  server: z.string().max(maxNameLength).describe('Name of the control plane'),
  version: z.string().max(maxNameLength).describe('Version of the control plane'),
  packets: optionalPacketsSchema.describe('The types in `packets` of `hello` that the control plane takes'),
  streams: streamsSchema,
  pace: paceSchema.optional().describe('Only sent if `hello` has it. Default: both ends ping each other'),
  resume: resumeSchema
    .optional()
    .describe('The state of the series of packets, if `hello` has one and the control plane takes part'),
});

export type Welcome = z.output<typeof welcomeSchema>;

/** Confirms packets, if both greetings have `resume`. */
export const ackSchema = z.object({
  seq: z.int().nonnegative().describe('Number of the last packet that was received and will not be lost'),
});

/** The longest time in `drain`, in seconds. */
export const maxRetryAfter = 3600;

/** Sent before a control plane closes the connections of agents because it stops. */
export const drainSchema = z.object({
  reason: z.string().max(maxNameLength).describe('Why the connection will be closed'),
  retryAfter: z
    .number()
    .nonnegative()
    .max(maxRetryAfter)
    .describe('Seconds after which the agent may connect to this URL again'),
});

/** Number of keys in one packet. */
export const maxUnfinished = 1000;

/** Sent after `welcome` to an agent whose commands survive its process. */
export const unfinishedSchema = z.object({
  keys: z
    .array(z.string().max(maxKeyLength))
    .max(maxUnfinished)
    .describe('Commands that the agent accepted, or may have accepted, and that have no result yet'),
});

/** Length of a time that another program has written. */
const maxTimeLength = 40;

/**
 * Sent after `welcome` by a control plane that has started from a backup, to an agent with
 * `journaled` in `packets` of its `hello`.
 */
export const journalSchema = z.object({
  after: z.iso
    .datetime()
    .max(maxTimeLength)
    .describe('Time after which the commands were accepted that the agent is to list, RFC 3339'),
});

/** Number of commands in one packet. */
export const maxJournaled = 1000;

/** The reply to `journal`: at least one packet, and several for more commands than one may have. */
export const journaledSchema = z.object({
  commands: z
    .array(
      z.object({
        key: z.string().min(1).max(maxKeyLength).describe('Key of the command'),
        type: printableSchema(maxTypeLength).min(1).describe('Type of the command'),
        fingerprint: z
          .string()
          .length(64)
          .regex(/^[0-9a-f]*$/)
          .describe('SHA-256 of its type, a line feed and its payload, in hexadecimal'),
        acceptedAt: z.iso.datetime().max(maxTimeLength).describe('When the agent accepted it, RFC 3339'),
      }),
    )
    .max(maxJournaled)
    .describe('Commands that change a release and that the agent still knows, in the order of their acceptance'),
});
export type Journaled = z.output<typeof journaledSchema>;

export const acceptedSchema = z.object({
  durable: z.boolean().describe("Whether the command survives the agent's process"),
  repeated: z.boolean().optional().describe('Whether the agent already knew the key'),
  resumed: z
    .boolean()
    .optional()
    .describe('Whether the agent was restarted and continues the command. `seq` of its packets starts from 1 again'),
});
export type Accepted = z.output<typeof acceptedSchema>;

export const statusSchema = z.object({
  seq: z.int().positive().describe("Counts the command's status packets from 1; a gap is a packet that was dropped"),
  step: z.string().max(maxNameLength).describe('The step of the operation, such as `render` or `wait`'),
  state: z.enum(['running', 'done', 'failed', 'skipped']).describe('State of the step'),
  time: z.string().max(maxNameLength).describe('RFC 3339 in UTC, with milliseconds'),
  position: z.int().optional().describe('With the step `queue`: the number of commands on the release that come first'),
  message: z.string().max(maxMessageLength).optional().describe('What the step did, or why it failed'),
  estimate: z
    .string()
    .max(maxNameLength)
    .optional()
    .describe('When the operation ends if it takes as long as the one that deployed the revision before, RFC 3339'),
  resources: z
    .array(resourceSchema)
    .max(maxResources)
    .optional()
    .describe('The resources whose status or reason changed since the last status packet'),
  objects: z
    .array(objectChangeSchema)
    .max(maxChangedObjects)
    .optional()
    .describe('With `watch_objects`: the objects that changed since the last status packet'),
  drift: z
    .array(driftSchema)
    .max(maxDrifted)
    .optional()
    .describe('The objects of the release that were changed in the cluster since the last status packet, or put back'),
});
export type Status = z.output<typeof statusSchema>;

export const positionSchema = z.object({
  file: z.string().max(maxMessageLength),
  line: z.int().optional().describe('From 1'),
  column: z.int().optional().describe('In bytes from 0'),
});
export type Position = z.output<typeof positionSchema>;

/** More than an operation has steps of undoing. */
const maxUndoErrors = 16;

const undoErrorSchema = z.object({
  code: z.string().max(maxNameLength).describe('An error code of docs/errors.md'),
  message: z.string().max(maxMessageLength).describe('What went wrong'),
});

/** Number of fields in an error. Agents leave out all others. */
export const maxFields = 100;

export const fieldSchema = z.object({
  apiVersion: z.string().max(maxNameLength),
  kind: z.string().max(maxNameLength),
  namespace: z.string().max(maxNameLength).optional(),
  name: z.string().max(maxNameLength),
  field: z.string().max(maxNameLength).describe('Path of the field, such as `.spec.replicas` or `spec.selector`'),
  manager: z.string().max(maxNameLength).optional().describe('The field manager that owns it with another value'),
});

/** Number of resources in an error. Agents leave out all others. */
export const maxFailedResources = 20;

const failureSchema = z.object({
  code: z.string().max(maxNameLength).describe('An error code of docs/errors.md'),
  message: z.string().max(maxMessageLength).describe('What is wrong and what to do'),
  position: positionSchema.optional().describe("Where the error is in a chart's or a user's text"),
  fields: z
    .array(fieldSchema)
    .max(maxFields)
    .optional()
    .describe('The fields of objects that the API server refused: invalid ones, immutable ones, and conflicts'),
  resources: z
    .array(resourceSchema)
    .max(maxFailedResources)
    .optional()
    .describe('The resources that were not ready, with the ends of their logs; packets `evidence` have more'),
  undoErrors: z
    .array(undoErrorSchema)
    .max(maxUndoErrors)
    .optional()
    .describe('The errors of undoing the operation, which the message names too'),
});
/** Why a command failed. */
export type Failure = z.output<typeof failureSchema>;

const failedSchema = z.object({ ok: z.literal(false), error: failureSchema });

/**
 * The last packet of a command. The fields of a successful result depend on the command; see
 * `commandAnswerSchema`.
 */
export const resultSchema = z.discriminatedUnion('ok', [z.looseObject({ ok: z.literal(true) }), failedSchema]);
export type Result = z.output<typeof resultSchema>;

/** The result of a command of one type. */
export type CommandResult<Type extends CommandType = CommandType> =
  { [Each in Type]: { ok: true } & CommandAnswers[Each] }[Type] | z.output<typeof failedSchema>;

/** The payloads of the packets that an agent sends. */
export const agentMessageSchemas = {
  proof: proofSchema,
  hello: helloSchema,
  accepted: acceptedSchema,
  status: statusSchema,
  evidence: evidenceSchema,
  log: logSchema,
  health: healthSchema,
  journaled: journaledSchema,
  result: resultSchema,
  ack: ackSchema,
};

/** The payloads of the packets that a control plane sends besides commands. */
export const controlPlaneMessageSchemas = {
  challenge: challengeSchema,
  pending: pendingSchema,
  proved: provedSchema,
  welcome: welcomeSchema,
  unfinished: unfinishedSchema,
  journal: journalSchema,
  drain: drainSchema,
  ack: ackSchema,
};
