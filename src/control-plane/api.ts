import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Health } from '../net/health.ts';
import type { CommandTable } from '../protocol/commands/table.ts';
import { addressOf, anyone, authenticateUser, type User, type UserAccess } from './access/authenticate-user.ts';
import { type Guard, RefusedError } from './access/guard.ts';
import { sessionRoutes } from './access/session-routes.ts';
import { tokenRoutes } from './access/token-routes.ts';
import type { UserTokens } from './access/user-tokens.ts';
import { agentRoutes } from './agent-routes.ts';
import type { AuditFields } from './audit/audit-entry.ts';
import type { AuditLog } from './audit/audit-log.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { backupRoutes } from './backup.ts';
import type { ChartArchives } from './charts/chart-archives.ts';
import { chartRoutes } from './charts/chart-routes.ts';
import type { CommandIndex } from './command-index.ts';
import { commandRoutes } from './command-routes.ts';
import { openDashboard } from './dashboard/dashboard-routes.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { AgentKeys } from './enrolment/agent-keys.ts';
import { enrolmentRoutes } from './enrolment/enrolment-routes.ts';
import { ControlPlaneError } from './error.ts';
import { EventStreams } from './event-stream.ts';
import { healthRoutes } from './health-routes.ts';
import {
  type ApiRoute,
  decodeSegment,
  type Handler,
  type RequestBodies,
  type Requester,
  type Route,
  sendError,
  sendProblem,
} from './http-json.ts';
import type { KnownAgent } from './known-agent.ts';
import type { Logger } from './logger.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import { resultRoutes } from './result-routes.ts';
import { rolloutRoutes } from './rollouts/rollout-routes.ts';
import type { Rollouts } from './rollouts/rollouts.ts';
import { recordingRoutes } from './sessions/recording-routes.ts';
import type { Recordings } from './sessions/recordings.ts';
import { type SignInBackend, signInRoutes, signOutRoute } from './sign-in/sign-in-routes.ts';
import type { CommandStore } from './store/command-store.ts';
import { NotStoredYetError } from './store/entry-store.ts';
import type { CommandStreams } from './streams/command-streams.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** The parts of the control plane that the REST API offers. */
export interface ApiBackend {
  agents: () => KnownAgent[];
  health: Health;
  /** The commands that the document of the API describes. */
  table: CommandTable;
  keys: AgentKeys;
  commands: CommandIndex;
  streams: CommandStreams;
  charts: ChartArchives;
  dispatcher: Dispatcher;
  guard: Guard;
  tokens: UserTokens;
  rollouts: Rollouts;
  audit: AuditLog;
  recordings: Recordings;
  /** How people sign in. Default: they have tokens. */
  signIn?: SignInBackend | undefined;
  webhooks: Webhooks;
  store: Pick<CommandStore, 'backup'>;
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
  const dashboard = backend.dashboard === undefined ? undefined : openDashboard(backend.dashboard);
  const { signIn, audit, requestBytes } = backend;
  const bodies = { maxBytes: requestBytes, bytes: 0 };
  const routes = [
    ...apiRoutesOf({ ...backend, bodies }, access, log),
    ...(signIn ? signInRoutes({ ...signIn, bodies, audit }) : []),
    ...(dashboard?.routes ?? []),
  ].map(knownRoute);
  const options = { ...backend, access, servePage: dashboard?.servePage };
  return (request: IncomingMessage, response: ServerResponse): void => {
    serveWithAudit(routes, options, request, response).catch((error: unknown) => {
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

/** Returns the routes of the API. Exported for its document. @public */
export function apiRoutesOf(
  { bodies, ...backend }: ApiBackend & { bodies: RequestBodies },
  { token }: Pick<UserAccess, 'token'>,
  log: Logger,
): ApiRoute[] {
  const { unreadBytes, signIn } = backend;
  const events = new EventStreams({ token, maxUnreadBytes: unreadBytes });
  const shared = { ...backend, sessions: signIn?.sessions, bodies, events, log };
  const routes: ApiRoute[] = [
    ...healthRoutes(shared),
    ...agentRoutes(shared),
    ...enrolmentRoutes(shared),
    ...tokenRoutes(shared),
    ...sessionRoutes(shared),
    signOutRoute(signIn),
    ...auditRoutes(shared),
    ...recordingRoutes(shared),
    ...commandRoutes({ ...shared, token }),
    ...resultRoutes(shared),
    ...chartRoutes(shared),
    ...rolloutRoutes(shared),
    ...webhookRoutes(shared),
    ...backupRoutes(shared),
  ];
  return [...routes, openApiRoute(routes, backend.table)];
}

/** A route, and the parts of its path; undefined for the parameter. */
interface KnownRoute {
  readonly route: Route;
  readonly parts: readonly (string | undefined)[];
}

function knownRoute(route: Route): KnownRoute {
  return { route, parts: route.path.split('/').map((part) => (part.startsWith('{') ? undefined : part)) };
}

/**
 * Returns the parameter of a path that a route has; empty if it has none. Undefined if the path is
 * of another route.
 */
function parameterOf({ parts }: KnownRoute, path: readonly string[]): string | undefined {
  if (parts.length !== path.length) return undefined;
  const isSame = parts.every((part, index) => (part === undefined ? path[index] !== '' : part === path[index]));
  return isSame ? (path[parts.indexOf(undefined)] ?? '') : undefined;
}

interface ServeOptions extends Pick<ApiBackend, 'guard' | 'audit'> {
  access: UserAccess;
  /** Serves paths without a route. Default: they do not exist. */
  servePage: Handler | undefined;
}

/** Serves a request, and notes in the audit log what it has changed, or that it was refused. */
async function serveWithAudit(
  routes: readonly KnownRoute[],
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
    await serve(routes, { ...options, user: { ...user, note } }, request, response);
    // strangers must not fill the log
    if (!isChange(request) || user === anyone) return;
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
    } else if (error instanceof NotStoredYetError) {
      options.audit.add({ ...about, user: name, decision: 'allowed', outcome, ...noted });
    } else if (['unauthenticated', 'forbidden'].includes(outcome) || (name !== undefined && isChange(request))) {
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
  routes: readonly KnownRoute[],
  { guard, user, servePage }: Omit<ServeOptions, 'access' | 'audit'> & { user: Requester },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  const path = url.split('?')[0] ?? '';
  const parts = path.split('/');
  const allowed = new Set<string>();
  for (const known of routes) {
    const parameter = parameterOf(known, parts);
    if (parameter === undefined) continue;
    const { route } = known;
    allowed.add(route.method);
    if (route.method !== method) continue;
    if ((route.audience ?? 'administrators') === 'administrators') guard.requireAdministrator(user.principal);
    await route.handler(request, response, decodeSegment(parameter), user);
    return;
  }
  if (allowed.size === 0 && method === 'GET' && servePage) {
    await servePage(request, response, '', user);
    return;
  }
  if (allowed.size === 0) throw new ControlPlaneError('unknown_route', `there is no ${method} ${path}`);
  const list = [...allowed].join(', ');
  response.setHeader('allow', list);
  throw new ControlPlaneError('method_not_allowed', `there is no ${method} ${path}; the path has ${list}`);
}
