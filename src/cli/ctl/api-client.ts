import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { bearer } from '../../net/authorization.ts';
import { evidenceSchema } from '../../protocol/evidence.ts';
import { logSchema } from '../../protocol/log.ts';
import { acceptedSchema, resultSchema, statusSchema } from '../../protocol/messages.ts';
import { SignatureError } from '../../signatures/signature-error.ts';
import { ApiError, type ApiServer, openEvents, post, read, request } from './api-request.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import type { SignedRequests } from './signed-requests.ts';

/** An agent. Fields that this control plane does not know are absent. */
const agentSchema = z.looseObject({
  agentId: z.string(),
  version: z.string().optional(),
  instanceId: z.string().optional(),
  /** Default: true, as control planes say that list only agents that are connected. */
  connected: z.boolean().optional(),
  connectedAt: z.string().nullish(),
  /** Time of the last message of an agent that is away. */
  lastSeen: z.string().nullish(),
  /** Whether the agent reaches the API server of its cluster. */
  cluster: z
    .looseObject({ reachable: z.boolean(), since: z.string().optional(), reason: z.string().optional() })
    .nullish(),
  enrolment: z
    .looseObject({
      states: z.array(z.string()),
      labels: z.record(z.string(), z.string()).optional(),
      problem: z.string().optional(),
    })
    .optional(),
  /** When a process was refused last that may be of a copy of the cluster. */
  copyRefusedAt: z.string().optional(),
});

const createdEnrolmentSchema = z.object({ token: z.string(), expiresAt: z.string(), replacesKey: z.boolean() });

const agentsSchema = z.object({ agents: z.array(agentSchema) });
const roleSchema = z.looseObject({
  rights: z.array(z.string()),
  agents: z.array(z.string()).optional(),
  labels: z.string().optional(),
  namespaces: z.array(z.string()).optional(),
  releases: z.array(z.string()).optional(),
});
/** A role, see `Role` of the control plane. */
export type RoleRequest = z.output<typeof roleSchema>;

const tokenSchema = z.looseObject({
  ...{ id: z.string(), name: z.string(), roles: z.array(roleSchema) },
  ...{ createdAt: z.string(), expiresAt: z.string(), createdBy: z.string().optional() },
});
/** A token of a user. */
export type UserToken = z.output<typeof tokenSchema>;

const createdTokenSchema = tokenSchema.extend({ token: z.string() });
const tokensSchema = z.object({ tokens: z.array(tokenSchema) });

const whoamiSchema = z.object({ name: z.string(), roles: z.array(roleSchema), expiresAt: z.string().optional() });
/** The user of the requests. */
export type WhoAmI = z.output<typeof whoamiSchema>;

const recordingSchema = z.looseObject({
  ...{ key: z.string(), agentId: z.string(), user: z.string(), startedAt: z.string(), bytes: z.int() },
  ...{ namespace: z.string().optional(), pod: z.string().optional(), reason: z.string().optional() },
});
/** A recording of a session. */
export type RecordingSummary = z.output<typeof recordingSchema>;
const recordingsSchema = z.object({ recordings: z.array(recordingSchema) });

const forgottenSchema = z.object({ commandsEnded: z.int() });
const commandSchema = z.object({ key: z.string(), agentId: z.string(), type: z.string() });

const eventSchema = z.discriminatedUnion('type', [
  z.object({ id: z.int(), type: z.literal('accepted'), payload: acceptedSchema }),
  z.object({ id: z.int(), type: z.literal('status'), payload: statusSchema }),
  z.object({ id: z.int(), type: z.literal('evidence'), payload: evidenceSchema }),
  z.object({ id: z.int(), type: z.literal('log'), payload: logSchema }),
  z.object({ id: z.int(), type: z.literal('agent'), payload: z.object({ connected: z.boolean() }) }),
  z.object({ id: z.int(), type: z.literal('signature'), payload: z.object({ envelope: z.string() }) }),
  z.object({ id: z.int(), type: z.literal('result'), payload: resultSchema }),
]);
/** An event in the life of a command. */
export type Event = Exclude<z.output<typeof eventSchema>, { type: 'signature' }>;

/** An agent of a control plane. */
export type Agent = z.output<typeof agentSchema>;
type Sent = z.output<typeof commandSchema>;

export interface CommandRequest {
  type: string;
  payload: object;
  /** See `SendOptions` of the control plane. */
  deliverWithin?: string | false;
  /** Key of the same command, which may have been sent before. Default: one that no other has. */
  key?: string;
}

export interface ApiClientOptions extends ApiServer {
  /** The span that sends commands, as in W3C Trace Context. Default: none. */
  traceparent?: string | undefined;
  /** Certificates of the CAs for WebSockets, in PEM. Default: those of the system. */
  ca?: string | undefined;
  /** Signs commands, and verifies results. */
  signed: SignedRequests;
  /** Returns a key for a command that no other one has. */
  newKey: () => string;
}

/** Number of attempts to send a command, and the pause in milliseconds between them. */
const sendAttempts = 3;
const sendPauseMs = 100;

/**
 * The control plane's REST API. All methods reject with `ApiError`, or with the signal's reason.
 */
export interface ApiClient {
  /** URL of the control plane, without a slash at its end. */
  readonly server: string;
  agents(signal: AbortSignal): Promise<Agent[]>;
  agent(agentId: string, signal: AbortSignal): Promise<Agent>;
  /** Creates a token with which an agent can enrol. */
  enrol(
    agentId: string,
    options: { expiresIn: string; needsConsent: boolean; labels: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<z.output<typeof createdEnrolmentSchema>>;
  acceptAgent(agentId: string, signal: AbortSignal): Promise<void>;
  revokeAgent(agentId: string, signal: AbortSignal): Promise<void>;
  /** Forgets an agent, and returns how many of its commands have ended by that. */
  forgetAgent(agentId: string, signal: AbortSignal): Promise<z.output<typeof forgottenSchema>>;
  createToken(
    request: { name: string; roles: readonly RoleRequest[]; expiresIn: string },
    signal: AbortSignal,
  ): Promise<z.output<typeof createdTokenSchema>>;
  tokens(signal: AbortSignal): Promise<UserToken[]>;
  revokeToken(id: string, signal: AbortSignal): Promise<void>;
  whoami(signal: AbortSignal): Promise<WhoAmI>;
  /**
   * Yields the lines of the audit log of a time in RFC 3339 or later. With `isFollowed`, it also
   * yields those that follow, until the stream ends.
   */
  audit(options: { since: string | undefined; isFollowed: boolean }, signal: AbortSignal): AsyncGenerator<string>;
  /**
   * Sends a command. It is sent again after a failure that may pass, such as a connection that the
   * server has just closed; its key keeps it from being performed twice.
   */
  send(agentId: string, request: CommandRequest, signal: AbortSignal): Promise<Sent>;
  /**
   * Uploads the archive of a chart with a digest, unless the control plane has it. Repeated like
   * `send`.
   */
  uploadChart(digest: string, archive: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * Yields the command's events after an id until the stream ends, which may be before the result.
   *
   * @param onOpen is called when the control plane responds
   */
  events(key: string, afterId: number, signal: AbortSignal, onOpen?: () => void): AsyncGenerator<Event>;
  /** Yields what the agent writes into the stream of a command, until its end. */
  readStream(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  recordings(signal: AbortSignal): Promise<RecordingSummary[]>;
  /** Yields the bytes of the recording of a command. */
  recording(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Returns a copy of the file of the control plane. */
  backup(signal: AbortSignal): AsyncGenerator<Uint8Array>;
  /** Returns where the session of a command is opened as a WebSocket, or is watched. */
  sessionAddress(key: string, kind?: 'stream' | 'watch'): SessionAddress;
}

/** The parts of a WebSocket to the control plane. */
export interface SessionAddress {
  url: string;
  headers: Record<string, string>;
  ca: string | undefined;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const server = options.server.replace(/(?<!\/)\/+$/, '');
  const api = { ...options, server };
  const get = (path: string, signal: AbortSignal) => request(api, path, { signal });
  const pathOf = (agentId: string) => `/api/agents/${encodeURIComponent(agentId)}`;
  return {
    server,
    async agents(signal) {
      return (await read(agentsSchema, await get('/api/agents', signal), server)).agents;
    },
    async agent(agentId, signal) {
      return await read(agentSchema, await get(pathOf(agentId), signal), server);
    },
    async enrol(agentId, body, signal) {
      const response = await post(api, `${pathOf(agentId)}/enrolment`, body, signal);
      return await read(createdEnrolmentSchema, response, server);
    },
    async acceptAgent(agentId, signal) {
      await request(api, `${pathOf(agentId)}/accept`, { method: 'POST', signal });
    },
    async revokeAgent(agentId, signal) {
      await request(api, `${pathOf(agentId)}/enrolment`, { method: 'DELETE', signal });
    },
    async forgetAgent(agentId, signal) {
      const response = await request(api, pathOf(agentId), { method: 'DELETE', signal });
      return await read(forgottenSchema, response, server);
    },
    async createToken(body, signal) {
      return await read(createdTokenSchema, await post(api, '/api/tokens', body, signal), server);
    },
    async tokens(signal) {
      return (await read(tokensSchema, await get('/api/tokens', signal), server)).tokens;
    },
    async revokeToken(id, signal) {
      await request(api, `/api/tokens/${encodeURIComponent(id)}`, { method: 'DELETE', signal });
    },
    async whoami(signal) {
      return await read(whoamiSchema, await get('/api/whoami', signal), server);
    },
    async *audit({ since, isFollowed }, signal) {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
      const { body } = await get(`/api/audit${isFollowed ? '/events' : ''}${query}`, signal);
      if (!body) return;
      if (isFollowed) for await (const { data } of readServerSentEvents(body)) yield data;
      else yield* createInterface({ input: Readable.fromWeb(body), crlfDelay: Infinity });
    },
    async send(agentId, command, signal) {
      const path = `${pathOf(agentId)}/commands`;
      const { traceparent } = options;
      const headers = { 'content-type': 'application/json', ...(traceparent !== undefined && { traceparent }) };
      const { key = options.newKey() } = command;
      const body = JSON.stringify(await options.signed.bodyOf(agentId, key, command));
      let mayHaveArrived = false;
      return repeated(
        signal,
        async () => {
          const init = { method: 'POST', headers, body, signal };
          return read(commandSchema, await request(api, path, init), server);
        },
        (error) => (mayHaveArrived ||= error.mayHaveArrived),
      ).catch((error: unknown) => {
        if (mayHaveArrived && error instanceof ApiError && error.isTemporary) {
          throw new ApiError(`${error.message}; the command may have arrived; to follow it: ctl watch ${key}`, true);
        }
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        throw new ApiError(`${error.message}; ctl agents lists the agents`, false, 404);
      });
    },
    async uploadChart(digest, archive, signal) {
      const path = `/api/charts/${digest}`;
      const headers = { 'content-type': 'application/octet-stream' };
      await repeated(signal, async () => {
        if (await isFound(api, path, signal)) return;
        await request(api, path, { method: 'PUT', headers, body: archive, signal, responseMs: Infinity });
      });
    },
    async *events(key, afterId, signal, onOpen) {
      const headers = { 'last-event-id': String(afterId) };
      const opened = openEvents(api, commandPath(key, 'events'), { headers, signal, onOpen });
      for await (const { id, event, data } of opened) {
        const parsed = eventSchema.safeParse({ id: Number(id), type: event, payload: JSON.parse(data) as unknown });
        // events of other types come from a newer control plane
        if (!parsed.success) continue;
        if (parsed.data.type === 'signature') {
          options.signed.noteSignature(key, parsed.data.payload.envelope);
          continue;
        }
        if (parsed.data.type === 'result') requireSigned(options.signed, key, data, parsed.data.payload.ok);
        yield parsed.data;
      }
    },
    async *readStream(key, signal) {
      // it begins when the agent has opened it
      const { body } = await request(api, commandPath(key, 'stream'), { signal, responseMs: Infinity });
      if (body) yield* body;
    },
    async recordings(signal) {
      return (await read(recordingsSchema, await get('/api/recordings', signal), server)).recordings;
    },
    async *recording(key, signal) {
      const { body } = await get(commandPath(key, 'recording'), signal);
      if (body) yield* body;
    },
    async *backup(signal) {
      const { body } = await request(api, '/api/backup', { signal, responseMs: Infinity });
      if (body) yield* body;
    },
    sessionAddress(key, kind = 'stream') {
      const { token, ca } = options;
      const headers = token === undefined ? {} : { authorization: bearer(token) };
      return { url: `${server.replace(/^http/, 'ws')}${commandPath(key, kind)}`, headers, ca };
    },
  };
}

/** Throws `ApiError` for a success that the agent has not signed. */
function requireSigned(signed: SignedRequests, key: string, text: string, isSuccess: boolean): void {
  try {
    signed.requireResult(key, text, isSuccess);
  } catch (error) {
    throw error instanceof SignatureError ? new ApiError(error.message, false) : error;
  }
}

function commandPath(key: string, part: string): string {
  return `/api/commands/${encodeURIComponent(key)}/${part}`;
}

/** Repeats what fails for a reason that may pass. */
async function repeated<Result>(
  signal: AbortSignal,
  attempt: () => Promise<Result>,
  onFailure?: (error: ApiError) => void,
): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ApiError) onFailure?.(error);
      if (count === sendAttempts || !(error instanceof ApiError && error.isTemporary)) throw error;
    }
    await sleep(sendPauseMs, undefined, { signal });
  }
}

/** Whether the control plane has something at a path. */
async function isFound(options: ApiClientOptions, path: string, signal: AbortSignal): Promise<boolean> {
  return request(options, path, { method: 'HEAD', signal }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return false;
      throw error;
    },
  );
}
