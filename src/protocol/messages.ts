import { z } from 'zod';

/** The first packet of an agent on every connection. */
export const helloSchema = z.object({
  agentId: z.string(),
  /** Another one for each process. */
  instanceId: z.string(),
  version: z.string(),
  /** The commands that this agent knows, and the names of optional parts of the protocol. */
  capabilities: z.array(z.string()),
  limits: z.object({ maxPacketBytes: z.number() }),
});
export type Hello = z.output<typeof helloSchema>;

/** A control plane's answer to `hello`; nothing waits for it. */
const welcomeSchema = z.object({ server: z.string(), version: z.string() });

export const acceptedSchema = z.object({
  /** Whether the command survives the agent's process. */
  durable: z.boolean(),
  /** The key was seen before: what follows belongs to the command that it named then. */
  repeated: z.boolean().optional(),
});
export type Accepted = z.output<typeof acceptedSchema>;

const resourceStatusSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  status: z.string(),
  reason: z.string().optional(),
});

export const statusSchema = z.object({
  /** Counts a command's status packets from 1: a gap is a packet that was dropped, a number seen before a repetition. */
  seq: z.int().positive(),
  step: z.string(),
  state: z.enum(['running', 'done', 'failed', 'skipped']),
  time: z.string(),
  message: z.string().optional(),
  resources: z.array(resourceStatusSchema).optional(),
});
export type Status = z.output<typeof statusSchema>;

export const positionSchema = z.object({
  file: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
});
export type Position = z.output<typeof positionSchema>;

const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  position: positionSchema.optional(),
});
/** Why a command failed. */
export type Failure = z.output<typeof failureSchema>;

/** What a command answers. Each command fills one of the first three fields. */
export const answerSchema = z.object({
  release: z.looseObject({ name: z.string() }).optional(),
  releases: z.array(z.looseObject({ name: z.string() })).optional(),
  deployment: z.looseObject({}).optional(),
  /** Besides the release: what an uninstallation left in place. */
  info: z.string().optional(),
  /** The fields of the release that the packet had no room for. */
  omitted: z.array(z.string()).optional(),
});
export type Answer = z.output<typeof answerSchema>;

/** The last packet of a command. */
export const resultSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), ...answerSchema.shape }),
  z.object({ ok: z.literal(false), error: failureSchema }),
]);
export type Result = z.output<typeof resultSchema>;

/** The payloads of what an agent sends. */
export const agentMessageSchemas = {
  hello: helloSchema,
  accepted: acceptedSchema,
  status: statusSchema,
  result: resultSchema,
};

/** The payloads of what a control plane sends besides commands. */
export const controlPlaneMessageSchemas = { welcome: welcomeSchema };
