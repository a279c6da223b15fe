import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { answerProbe, type Health } from '../net/health.ts';
import { boundedRecord } from '../protocol/bounded.ts';
import { maxDurationLength } from '../protocol/duration.ts';
import { maxKeyLength, maxTypeLength } from '../protocol/limits.ts';
import { maxNameLength } from '../protocol/resource.ts';
import { chartDigestSchema } from '../protocol/streams/chart-stream.ts';
import { receivedInTime } from '../protocol/streams/least-rate.ts';
import { readTraceparent } from '../protocol/traceparent.ts';
import { validate } from '../protocol/validation.ts';
import { addressOf, anyone, authenticateUser, type User, type UserAccess } from './access/authenticate-user.ts';
import { type Guard, RefusedError } from './access/guard.ts';
import type { Principal } from './access/role.ts';
import { tokenRoutes } from './access/token-routes.ts';
import type { UserTokens } from './access/user-tokens.ts';
import { type AuditFields, auditOf } from './audit/audit-entry.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import type { ChartArchives } from './charts/chart-archives.ts';
import type { CommandIndex } from './command-index.ts';
import { commandPage, readCommandQuery } from './command-list.ts';
import { dashboardRoutes } from './dashboard/dashboard-routes.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { AgentKeys } from './enrolment/agent-keys.ts';
import { enrolmentRoutes } from './enrolment/enrolment-routes.ts';
import { ControlPlaneError } from './error.ts';
import { EventStreams, lastEventId } from './event-stream.ts';
import {
  type Handler,
  readBody,
  readJson,
  type Requester,
  type Route,
  sendError,
  sendJson,
  sendProblem,
} from './http-json.ts';
import type { KnownAgent } from './known-agent.ts';
import type { Logger } from './logger.ts';
import type { CommandOutcome } from './result-feed.ts';
import type { CommandStreams } from './streams/command-streams.ts';
import { streamHandler } from './streams/stream-handler.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** The parts of the control plane that the REST API offers. */
export interface ApiBackend {
  agents: () => KnownAgent[];
  health: Health;
  keys: AgentKeys;
  commands: CommandIndex;
  streams: CommandStreams;
  charts: ChartArchives;
  dispatcher: Dispatcher;
  guard: Guard;
  tokens: UserTokens;
  audit: AuditLog;
  /** Whether the last change of the agents' credentials could be read. */
  areAgentsReadable: () => boolean;
  /** Bytes of the bodies of all requests that are being read. */
  requestBytes: number;
  /** Bytes that readers of event streams have not read. */
  unreadBytes: number;
  /** Time in milliseconds for a user to send each 64 KiB of a chart. */
  uploadWaitMs: number;
  /** Folder of the dashboard. Default: none is served. */
  dashboard?: string | undefined;
}

/** Returns a listener for an HTTP server that serves the REST API and its event streams. */
export function createApi(backend: ApiBackend, access: UserAccess, log: Logger) {
  const routes = routesOf(backend, access, log);
  return (request: IncomingMessage, response: ServerResponse): void => {
    serveWithAudit(routes, { access, ...backend }, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof ControlPlaneError) sendError(response, error);
      else {
        log.warn({ error: error instanceof Error ? error.name : typeof error }, 'a request failed');
        const message = "an internal error; see the control plane's log";
        sendProblem(response, 500, { code: 'internal', message });
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

/** Returns the routes of the API. Exported for the test of all decisions. @public */
export function routesOf(
  {
    agents,
    health,
    keys,
    commands,
    streams: commandStreams,
    charts,
    dispatcher,
    guard,
    tokens,
    audit,
    areAgentsReadable,
    requestBytes,
    unreadBytes,
    uploadWaitMs,
    dashboard,
  }: ApiBackend,
  { token }: Pick<UserAccess, 'token'>,
  log: Logger,
): Route[] {
  const bodies = { maxBytes: requestBytes, bytes: 0 };
  const streams = new EventStreams({ token, maxUnreadBytes: unreadBytes });
  const commandOf = (principal: Principal, key: string): TrackedCommand => {
    guard.requireVisible(principal, key);
    const command = commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    return command;
  };
  const listAgents: Handler = (_request, response, _id, { principal }) => {
    const seen = agents().filter(({ agentId }) => guard.sees(principal, agentId));
    sendJson(response, 200, { agents: seen });
  };
  const sendCommand: Handler = async (request, response, agentId, { principal, note }) => {
    const body = readBody(commandRequestSchema, await readJson(request, bodies));
    const command = dispatcher.send(agentId, {
      ...{ ...body, key: keyOf(request, body), principal },
      // by W3C Trace Context, one that is not valid counts as absent
      traceparent: readTraceparent(request.headers['traceparent']),
    });
    note(auditOf(command));
    await command.stored;
    sendJson(response, 202, await commandBody(command));
  };
  const listCommands: Handler = ({ url = '' }, response, _id, { principal }) => {
    const query = readCommandQuery(url);
    const page = commandPage(commands.newestFirst(), query, (record) => guard.seesCommand(principal, record));
    sendJson(response, 200, page);
  };
  const findCommand: Handler = async (_request, response, key, { principal }) =>
    sendJson(response, 200, await commandBody(commandOf(principal, key)));
  const sendCommandEvents: Handler = async (request, response, key, user) => {
    const command = commandOf(user.principal, key);
    const id = lastEventId(request) ?? 0;
    await streams.send(request, response, user, (signal) => command.eventsAfter(id, signal));
  };
  const sendStream = streamHandler({ streams: commandStreams, commandOf, token });
  const sendResults: Handler = async (request, response, _id, user) => {
    const id = lastEventId(request);
    const isSeen = ({ key }: CommandOutcome) => {
      const record = commands.get(key)?.record;
      return record !== undefined && guard.seesCommand(user.principal, record);
    };
    await streams.send(request, response, user, (signal) => resultEvents(commands.results.after(id, signal), isSeen));
  };
  const acknowledgeResults: Handler = async (request, response, _id, { principal: { name: sentBy } }) => {
    const { upTo } = readBody(acknowledgementSchema, await readJson(request, bodies));
    commands.results.markDelivered(upTo);
    await commands.stored();
    log.info({ upTo, sentBy }, 'results acknowledged');
    sendJson(response, 200, { upTo });
  };
  const receiveChart: Handler = async (request, response, digest, { principal }) => {
    guard.requireUpload(principal);
    requireDigest(digest);
    const isNew = !charts.has(digest);
    const content: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
    const tooSlow = () => new ControlPlaneError('timeout', 'the chart arrives too slowly; upload it again');
    if (isNew) await charts.receive(receivedInTime(content, { tooSlow, waitMs: uploadWaitMs }), digest);
    else request.resume();
    if (isNew) log.info({ digest, sentBy: principal.name }, 'chart uploaded');
    sendJson(response, isNew ? 201 : 200, { digest });
  };
  const findChart: Handler = (_request, response, digest, { principal }) => {
    guard.requireUpload(principal);
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
  const forgetAgent: Handler = async (_request, response, agentId, { principal }) => {
    guard.requireAgentAdministrator(principal, agentId);
    const commandsEnded = await dispatcher.forgetAgent(agentId, principal.name);
    sendJson(response, 200, { agentId, commandsEnded });
  };
  const aProbe = { method: 'GET', audience: 'anyone', handler: sendProbe } as const;
  return [
    ...['healthz', 'livez', 'readyz'].flatMap((probe): Route[] => [
      { ...aProbe, path: `/${probe}`, summary: `Returns the outcome of all checks of ${probe}` },
      { ...aProbe, path: `/${probe}/{check}`, summary: `Returns the outcome of one check of ${probe}` },
    ]),
    {
      method: 'GET',
      path: '/api/agents',
      audience: 'users',
      summary: 'Lists the agents that are known',
      handler: listAgents,
    },
    ...enrolmentRoutes({ keys, agents, bodies, guard }),
    ...tokenRoutes({ tokens, bodies }),
    ...auditRoutes({ audit, streams }),
    {
      method: 'DELETE',
      path: '/api/agents/{agentId}',
      audience: 'users',
      summary: 'Forgets an agent that is not connected, and ends its commands',
      handler: forgetAgent,
    },
    {
      method: 'POST',
      path: '/api/agents/{agentId}/commands',
      audience: 'users',
      summary: 'Sends a command to an agent',
      handler: sendCommand,
    },
    {
      method: 'GET',
      path: '/api/commands',
      audience: 'users',
      summary: 'Lists the commands that are kept, the newest first',
      handler: listCommands,
    },
    {
      method: 'GET',
      path: '/api/commands/{key}',
      audience: 'users',
      summary: 'Returns a command, and its result if it has one',
      handler: findCommand,
    },
    {
      method: 'GET',
      path: '/api/commands/{key}/events',
      audience: 'users',
      summary: 'Streams the events of a command, up to its result',
      handler: sendCommandEvents,
    },
    {
      method: 'GET',
      path: '/api/commands/{key}/stream',
      audience: 'users',
      summary: 'Opens the stream of a command',
      handler: sendStream,
    },
    {
      method: 'GET',
      path: '/api/results',
      audience: 'users',
      summary: 'Streams the results of all commands',
      handler: sendResults,
    },
    {
      method: 'POST',
      path: '/api/results/ack',
      summary: 'Marks the results up to an id as delivered',
      handler: acknowledgeResults,
    },
    {
      method: 'HEAD',
      path: '/api/charts/{digest}',
      audience: 'users',
      summary: 'Says whether the archive of a chart is stored',
      handler: findChart,
    },
    {
      method: 'PUT',
      path: '/api/charts/{digest}',
      audience: 'users',
      summary: 'Stores the archive of a chart',
      handler: receiveChart,
    },
    ...(dashboard === undefined ? [] : dashboardRoutes(dashboard)),
  ];
}

/**
 * Returns the parameter of a path that a route has; empty if it has none. Undefined if the path is
 * of another route.
 */
function parameterOf({ path: template }: Route, path: string): string | undefined {
  if (template.endsWith('/{}'))
    return path.startsWith(template.slice(0, -2)) ? path.slice(template.length - 2) : undefined;
  const [expected, given] = [template.split('/'), path.split('/')];
  const isParameter = (part: string) => part.startsWith('{');
  const isSame = expected.every((part, index) => (isParameter(part) ? given[index] !== '' : part === given[index]));
  return isSame && expected.length === given.length ? (given[expected.findIndex(isParameter)] ?? '') : undefined;
}

type ServeOptions = { access: UserAccess } & Pick<ApiBackend, 'guard' | 'audit'>;

/** Serves a request, and notes in the audit log what it has changed, or that it was refused. */
async function serveWithAudit(
  routes: readonly Route[],
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const path = url.split('?')[0] ?? '';
  const about = { action: `${method} ${path}`, from: addressOf(request) };
  let user: User = anyone;
  let noted: Partial<AuditFields> = {};
  const note = (fields: Partial<AuditFields>) => (noted = fields);
  try {
    if (path.startsWith('/api/')) user = await authenticateUser(request, options.access);
    if (user !== anyone) options.access.trust(request.socket);
    await serve(routes, { guard: options.guard, user: { ...user, note } }, request, response);
    if (!isChange(request)) return;
    options.audit.add({ ...about, user: user.principal.name, decision: 'allowed', outcome: 'ok', ...noted });
  } catch (error) {
    const outcome = error instanceof ControlPlaneError ? error.code : 'internal';
    const name = user === anyone ? undefined : user.principal.name;
    if (error instanceof RefusedError) {
      const { command: type, agent, namespace, release: releaseName } = error.action;
      options.audit.addRefusal({
        ...about,
        outcome,
        user: name,
        type,
        agentId: agent?.agentId,
        namespace,
        releaseName,
      });
    } else if (outcome === 'unauthenticated' || (name !== undefined && isChange(request))) {
      options.audit.addRefusal({ ...about, outcome, user: name, ...noted });
    }
    throw error;
  }
}

/** Whether a request can change something. */
function isChange({ method = '' }: IncomingMessage): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

async function serve(
  routes: readonly Route[],
  { guard, user }: { guard: Guard; user: Requester },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const path = url.split('?')[0] ?? '';
  for (const route of routes) {
    const parameter = route.method === method ? parameterOf(route, path) : undefined;
    if (parameter === undefined) continue;
    if ((route.audience ?? 'administrators') === 'administrators') guard.requireAdministrator(user.principal);
    await route.handler(request, response, decodeSegment(parameter), user);
    return;
  }
  throw new ControlPlaneError('unknown_route', `there is no ${method} ${path}`);
}

function requireDigest(digest: string): void {
  const validated = validate(chartDigestSchema, digest, 'the digest');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
}

/** Returns the key of a new command, which the header `Idempotency-Key` can have. */
function keyOf({ headers }: IncomingMessage, { key }: { key?: string | undefined }): string | undefined {
  const header = headers['idempotency-key'];
  if (header === undefined) return key;
  const given = String(header).replace(/^"([^"\\]*)"$/, '$1');
  const validated = validate(commandRequestSchema.shape.key, given, 'Idempotency-Key');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  if (key === undefined || key === given) return given;
  throw new ControlPlaneError('bad_request', 'the key of the body and Idempotency-Key differ; send one of them');
}

async function commandBody(command: TrackedCommand) {
  const { key, agentId, type, state } = command;
  if (state !== 'done') return { key, agentId, type, state };
  const result = await command.outcome();
  return { key, agentId, type, state, delivered: command.record.end?.isDelivered ?? false, result };
}

async function* resultEvents(results: AsyncIterable<CommandOutcome>, isSeen: (outcome: CommandOutcome) => boolean) {
  for await (const outcome of results) {
    const { id, ...payload } = outcome;
    if (isSeen(outcome)) yield { id, type: 'result', payload };
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlPlaneError('bad_request', 'the path is not properly encoded');
  }
}
