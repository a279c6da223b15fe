import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { answerProbe, type Health } from '../net/health.ts';
import { namesThisServer } from '../net/request-host.ts';
import { boundedRecord } from '../protocol/bounded.ts';
import { maxDurationLength } from '../protocol/duration.ts';
import { maxKeyLength, maxTypeLength } from '../protocol/limits.ts';
import { maxNameLength } from '../protocol/resource.ts';
import { chartDigestSchema } from '../protocol/streams/chart-stream.ts';
import { receivedInTime } from '../protocol/streams/least-rate.ts';
import { validate } from '../protocol/validation.ts';
import type { ChartArchives } from './charts/chart-archives.ts';
import type { CommandIndex } from './command-index.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { AgentKeys } from './enrolment/agent-keys.ts';
import { enrolmentRoutes } from './enrolment/enrolment-routes.ts';
import { ControlPlaneError } from './error.ts';
import { EventStreams, lastEventId } from './event-stream.ts';
import { type Handler, readBody, readJson, type Route, sendError, sendJson } from './http-json.ts';
import type { KnownAgent } from './known-agent.ts';
import type { Logger } from './logger.ts';
import type { CommandOutcome } from './result-feed.ts';
import { hasToken, type Token } from './token.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** The parts of the control plane that the REST API offers. */
export interface ApiBackend {
  agents: () => KnownAgent[];
  health: Health;
  keys: AgentKeys;
  commands: CommandIndex;
  charts: ChartArchives;
  dispatcher: Dispatcher;
  /** Whether the last change of the agents' credentials could be read. */
  areAgentsReadable: () => boolean;
  /** Bytes of the bodies of all requests that are being read. */
  requestBytes: number;
  /** Bytes that readers of event streams have not read. */
  unreadBytes: number;
  /** Time in milliseconds for a user to send each 64 KiB of a chart. */
  uploadWaitMs: number;
}

/** How users of the API prove that they may use it. */
export interface ApiAccess {
  /** Default: none; see `openHost`. */
  token: Token | undefined;
  /**
   * Returns the host that the server listens on if requests without a token are served there.
   */
  openHost: () => string | undefined;
  /** Is given the connection of each request that may use the API. */
  trust: (socket: Socket) => void;
}

/** Returns a listener for an HTTP server that serves the REST API and its event streams. */
export function createApi(backend: ApiBackend, access: ApiAccess, log: Logger) {
  const routes = routesOf(backend, access, log);
  return (request: IncomingMessage, response: ServerResponse): void => {
    serve(routes, access, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof ControlPlaneError) sendError(response, error);
      else {
        log.warn({ error: error instanceof Error ? error.name : typeof error }, 'a request failed');
        const message = "an internal error; see the control plane's log";
        sendJson(response, 500, { error: { code: 'internal', message } });
      }
    });
  };
}

/** Number of fields of a payload, of which commands have fewer. */
const maxPayloadFields = 1000;

/** The body of a new command. Exported for the test of all maxima. @public */
export const commandRequestSchema = z.object({
  type: z.string().max(maxTypeLength),
  payload: boundedRecord(z.string().max(maxNameLength), z.unknown(), maxPayloadFields).optional(),
  key: z.string().min(1).max(maxKeyLength).optional(),
  deliverWithin: z.union([z.string().max(maxDurationLength), z.number(), z.literal(false)]).optional(),
});

const acknowledgementSchema = z.object({ upTo: z.int().nonnegative() });

/** The names of users in logs: there is one token for all of them. */
const senders = { withToken: 'api-token', withoutToken: 'local' };

function routesOf(
  {
    agents,
    health,
    keys,
    commands,
    charts,
    dispatcher,
    areAgentsReadable,
    requestBytes,
    unreadBytes,
    uploadWaitMs,
  }: ApiBackend,
  { token }: ApiAccess,
  log: Logger,
): Route[] {
  const bodies = { maxBytes: requestBytes, bytes: 0 };
  const streams = new EventStreams({ token, maxUnreadBytes: unreadBytes });
  const sentBy = token === undefined ? senders.withoutToken : senders.withToken;
  const commandOf = (key: string): TrackedCommand => {
    const command = commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    return command;
  };
  const sendCommand: Handler = async (request, response, agentId) => {
    const command = dispatcher.send(agentId, {
      ...readBody(commandRequestSchema, await readJson(request, bodies)),
      sentBy,
    });
    await command.stored;
    sendJson(response, 202, await commandBody(command));
  };
  const sendCommandEvents: Handler = async (request, response, key) => {
    const command = commandOf(key);
    await streams.send(request, response, (signal) => command.eventsAfter(lastEventId(request) ?? 0, signal));
  };
  const sendResults: Handler = async (request, response) => {
    const id = lastEventId(request);
    await streams.send(request, response, (signal) => resultEvents(commands.results.after(id, signal)));
  };
  const acknowledgeResults: Handler = async (request, response) => {
    const { upTo } = readBody(acknowledgementSchema, await readJson(request, bodies));
    commands.results.markDelivered(upTo);
    await commands.stored();
    log.info({ upTo, sentBy }, 'results acknowledged');
    sendJson(response, 200, { upTo });
  };
  const receiveChart: Handler = async (request, response, digest) => {
    requireDigest(digest);
    const isNew = !charts.has(digest);
    const content: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    const tooSlow = () => new ControlPlaneError('timeout', 'the chart arrives too slowly; upload it again');
    if (isNew) await charts.receive(receivedInTime(content, { tooSlow, waitMs: uploadWaitMs }), digest);
    else request.resume();
    if (isNew) log.info({ digest, sentBy }, 'chart uploaded');
    sendJson(response, isNew ? 201 : 200, { digest });
  };
  const findChart: Handler = (_request, response, digest) => {
    if (!charts.has(digest)) throw new ControlPlaneError('chart_not_found', 'the chart is not uploaded');
    sendJson(response, 200, { digest });
  };
  /** Responds with JSON at the older paths, unless the form of Kubernetes is asked for. */
  const sendProbe: Handler = ({ url = '' }, response) => {
    const { status, text } = answerProbe(url, health) ?? { status: 404, text: '' };
    if (url === '/healthz') sendJson(response, 200, { status: 'ok' });
    else if (url === '/readyz') {
      const agentsFile = areAgentsReadable() ? 'ok' : 'not readable';
      sendJson(response, status, { store: commands.isAvailable ? 'ok' : 'failing', agentsFile });
    } else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
  };
  const forgetAgent: Handler = async (_request, response, agentId) => {
    const commandsEnded = await dispatcher.forgetAgent(agentId, sentBy);
    sendJson(response, 200, { agentId, commandsEnded });
  };
  return [
    ['GET', /^\/(?:healthz|livez|readyz)(?:\/[\w-]+)?$/, sendProbe],
    ['GET', /^\/api\/agents$/, (_request, response) => sendJson(response, 200, { agents: agents() })],
    ...enrolmentRoutes({ keys, agents, bodies, sentBy }),
    ['DELETE', /^\/api\/agents\/([^/]+)$/, forgetAgent],
    ['POST', /^\/api\/agents\/([^/]+)\/commands$/, sendCommand],
    [
      'GET',
      /^\/api\/commands\/([^/]+)$/,
      async (_request, response, key) => sendJson(response, 200, await commandBody(commandOf(key))),
    ],
    ['GET', /^\/api\/commands\/([^/]+)\/events$/, sendCommandEvents],
    ['GET', /^\/api\/results$/, sendResults],
    ['POST', /^\/api\/results\/ack$/, acknowledgeResults],
    ['HEAD', /^\/api\/charts\/([^/]+)$/, findChart],
    ['PUT', /^\/api\/charts\/([^/]+)$/, receiveChart],
  ];
}

async function serve(
  routes: Route[],
  access: ApiAccess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const path = url.split('?')[0] ?? '';
  if (path.startsWith('/api/')) {
    await requireUser(request, access);
    access.trust(request.socket);
  }
  for (const [routeMethod, pattern, handler] of routes) {
    const match = pattern.exec(path);
    if (!match || routeMethod !== method) continue;
    await handler(request, response, decodeSegment(match[1] ?? ''));
    return;
  }
  throw new ControlPlaneError('unknown_route', `there is no ${method} ${path}`);
}

async function requireUser(request: IncomingMessage, { token, openHost }: ApiAccess): Promise<void> {
  const { headers } = request;
  if (token !== undefined) {
    if (await hasToken(headers.authorization, token)) return;
    const problem = headers.authorization === undefined ? 'the token is missing' : 'the token is wrong';
    throw new ControlPlaneError('unauthenticated', `${problem}; send the API token as Authorization: Bearer TOKEN`);
  }
  const host = openHost();
  if (host === undefined) {
    const message = 'this control plane has no API token, so its API is closed; start it with --api-token-file';
    throw new ControlPlaneError('unauthenticated', message);
  }
  // Browsers send Origin with most requests. With the check of the host, which a web page with a
  // name of its own cannot pass, this keeps web pages from commanding clusters.
  if (headers.origin !== undefined) {
    throw new ControlPlaneError('unauthenticated', 'requests from web pages need a token');
  }
  if (!namesThisServer(request, host)) {
    const message = 'without a token, the Host header must be localhost or the address of the control plane';
    throw new ControlPlaneError('unauthenticated', message);
  }
}

function requireDigest(digest: string): void {
  const validated = validate(chartDigestSchema, digest, 'the digest');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

async function commandBody(command: TrackedCommand) {
  const { key, agentId, type, state } = command;
  if (state !== 'done') return { key, agentId, type, state };
  const result = await command.outcome();
  return { key, agentId, type, state, delivered: command.record.end?.isDelivered ?? false, result };
}

async function* resultEvents(results: AsyncIterable<CommandOutcome>) {
  for await (const { id, ...payload } of results) yield { id, type: 'result', payload };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlPlaneError('bad_request', 'the path is not properly encoded');
  }
}
