import { z } from 'zod';
import { bearer } from '../../protocol/authorization.ts';
import { acceptedSchema, helloSchema, resultSchema, statusSchema } from '../../protocol/messages.ts';
import { readServerSentEvents } from './server-sent-events.ts';

/** An answer of the control plane that is no success, or none at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Whether trying again may help. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.isPassing = isPassing;
  }
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const agentsSchema = z.object({ agents: z.array(helloSchema.extend({ connectedAt: z.string() })) });
const commandSchema = z.object({ key: z.string(), agentId: z.string(), type: z.string() });

const eventSchema = z.discriminatedUnion('type', [
  z.object({ id: z.int(), type: z.literal('accepted'), payload: acceptedSchema }),
  z.object({ id: z.int(), type: z.literal('status'), payload: statusSchema }),
  z.object({ id: z.int(), type: z.literal('agent'), payload: z.object({ connected: z.boolean() }) }),
  z.object({ id: z.int(), type: z.literal('result'), payload: resultSchema }),
]);
/** One thing that happened to a command. */
export type Event = z.output<typeof eventSchema>;

type Agent = z.output<typeof agentsSchema>['agents'][number];
type Sent = z.output<typeof commandSchema>;

export interface ApiClientOptions {
  /** The control plane's address: `http://127.0.0.1:8088`. */
  server: string;
  token: string | undefined;
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

/** The control plane's REST API. All functions fail with `ApiError`, or the signal's reason. */
export interface ApiClient {
  agents(signal: AbortSignal): Promise<Agent[]>;
  send(agentId: string, request: { type: string; payload: object }, signal: AbortSignal): Promise<Sent>;
  /** The command's events with a higher id, until the stream ends: after the result, or sooner. */
  events(key: string, afterId: number, signal: AbortSignal): AsyncGenerator<Event>;
}

export function createApiClient({ server, token, fetch }: ApiClientOptions): ApiClient {
  const base = server.replace(/\/+$/, '');
  const authorization = token === undefined ? {} : { authorization: bearer(token) };

  async function request(path: string, signal: AbortSignal, init: RequestInit = {}): Promise<Response> {
    const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) }; // always given as a plain object here
    const response = await fetch(`${base}${path}`, { ...init, headers, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ApiError(`cannot reach the control plane at ${base}: ${reasonOf(error)}`, true);
    });
    if (response.ok) return response;
    const body = errorSchema.safeParse(await response.json().catch(() => undefined));
    const said = body.success ? body.data.error.message : response.statusText;
    throw new ApiError(`the control plane answers ${response.status}: ${said}`, response.status >= 500);
  }

  async function read<Output>(schema: z.ZodType<Output>, response: Response): Promise<Output> {
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (!parsed.success) throw new ApiError(`${base} does not answer as a control plane does`, false);
    return parsed.data;
  }

  return {
    async agents(signal) {
      return (await read(agentsSchema, await request('/api/agents', signal))).agents;
    },
    async send(agentId, command, signal) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(command),
      };
      return read(commandSchema, await request(`/api/agents/${encodeURIComponent(agentId)}/commands`, signal, init));
    },
    async *events(key, afterId, signal) {
      const path = `/api/commands/${encodeURIComponent(key)}/events`;
      const response = await request(path, signal, { headers: { 'last-event-id': String(afterId) } });
      if (!response.body) return;
      for await (const { id, event, data } of readServerSentEvents(response.body)) {
        const parsed = eventSchema.safeParse({ id: Number(id), type: event, payload: JSON.parse(data) as unknown });
        // An event of a newer control plane's is none of ours.
        if (parsed.success) yield parsed.data;
      }
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? error.cause.message : error.message;
}
