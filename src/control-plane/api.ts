import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { maxKeyLength, maxTypeLength } from '../protocol/limits.ts';
import { namesThisServer } from '../protocol/request-host.ts';
import { validate } from '../protocol/validation.ts';
import type { AgentRegistry } from './agent-registry.ts';
import type { CommandStore } from './command-store.ts';
import type { Dispatcher } from './dispatcher.ts';
import { ControlPlaneError } from './error.ts';
import { sendEvents } from './event-stream.ts';
import { readJson, sendError, sendJson } from './http-json.ts';
import type { Logger } from './logger.ts';
import { hasToken, type Token } from './token.ts';
import type { TrackedCommand } from './tracked-command.ts';

/** The parts of the control plane that the REST API offers. */
export interface ApiBackend {
  agents: AgentRegistry;
  commands: CommandStore;
  dispatcher: Dispatcher;
}

type Handler = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;
type Route = [method: string, path: RegExp, handler: Handler];

/** How users of the API prove that they may use it. */
export interface ApiAccess {
  /** Default: none; see `openHost`. */
  token: Token | undefined;
  /**
   * Returns the host that the server listens on if requests without a token are served there.
   */
  openHost: () => string | undefined;
}

/** Returns a listener for an HTTP server that serves the REST API and its event streams. */
export function createApi(backend: ApiBackend, access: ApiAccess, log: Logger) {
  const routes = routesOf(backend);
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

const commandRequestSchema = z.object({
  type: z.string().max(maxTypeLength, { error: `must have at most ${String(maxTypeLength)} characters` }),
  payload: z.record(z.string(), z.unknown()).optional(),
  key: z.string().min(1).max(maxKeyLength).optional(),
});

function routesOf({ agents, commands, dispatcher }: ApiBackend): Route[] {
  const commandOf = (key: string): TrackedCommand => {
    const command = commands.get(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    return command;
  };
  const sendCommand: Handler = async (request, response, agentId) => {
    const { type, payload, key } = readCommandRequest(await readJson(request));
    const command = dispatcher.send(agentId, { type, payload, ...(key !== undefined && { key }) });
    sendJson(response, 202, commandBody(command));
  };
  return [
    ['GET', /^\/healthz$/, (_request, response) => sendJson(response, 200, { status: 'ok' })],
    ['GET', /^\/api\/agents$/, (_request, response) => sendJson(response, 200, { agents: agents.list() })],
    ['POST', /^\/api\/agents\/([^/]+)\/commands$/, sendCommand],
    [
      'GET',
      /^\/api\/commands\/([^/]+)$/,
      (_request, response, key) => sendJson(response, 200, commandBody(commandOf(key))),
    ],
    [
      'GET',
      /^\/api\/commands\/([^/]+)\/events$/,
      (request, response, key) => sendEvents(request, response, commandOf(key)),
    ],
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
  if (path.startsWith('/api/')) await requireUser(request, access);
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

function readCommandRequest(body: unknown): z.output<typeof commandRequestSchema> {
  const validated = validate(commandRequestSchema, body, 'the body');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data;
}

function commandBody({ key, agentId, type, state, outcome }: TrackedCommand) {
  return { key, agentId, type, state, ...(outcome && { result: outcome }) };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlPlaneError('bad_request', 'the path is not properly encoded');
  }
}
