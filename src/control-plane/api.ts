import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { MAX_KEY_LENGTH } from '../protocol/limits.ts';
import { ControlPlaneError } from './error.ts';
import { sendEvents } from './event-stream.ts';
import { readJson, sendError, sendJson } from './http-json.ts';
import type { ConnectedAgent } from './connected-agent.ts';
import type { Logger } from './logger.ts';
import type { SentCommand } from './sent-command.ts';
import { isAuthorized, type Token } from './token.ts';

/** What the REST API offers over HTTP. */
export interface Commanding {
  agents(): ConnectedAgent[];
  command(key: string): SentCommand | undefined;
  send(agentId: string, request: { type: string; payload?: unknown; key?: string | undefined }): SentCommand;
}

const requestSchema = z.object({
  type: z.string(),
  payload: z.record(z.string(), z.unknown()).optional(),
  key: z.string().min(1).max(MAX_KEY_LENGTH).optional(),
});

type Answer = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;

/** Serves the REST API and its event streams. The returned function never rejects. */
export function createApi(commanding: Commanding, token: Token | undefined, log: Logger) {
  const commandOf = (key: string): SentCommand => {
    const command = commanding.command(key);
    if (!command) throw new ControlPlaneError('command_not_found', `no command has the key ${key}`);
    return command;
  };

  const routes: [method: string, path: RegExp, answer: Answer][] = [
    ['GET', /^\/healthz$/, (_request, response) => sendJson(response, 200, { status: 'ok' })],
    ['GET', /^\/api\/agents$/, (_request, response) => sendJson(response, 200, { agents: commanding.agents() })],
    [
      'POST',
      /^\/api\/agents\/([^/]+)\/commands$/,
      async (request, response, agentId) => {
        const parsed = requestSchema.safeParse(await readJson(request));
        if (!parsed.success) throw new ControlPlaneError('bad_request', z.prettifyError(parsed.error));
        sendJson(response, 202, describe(commanding.send(agentId, parsed.data)));
      },
    ],
    [
      'GET',
      /^\/api\/commands\/([^/]+)$/,
      (_request, response, key) => sendJson(response, 200, describe(commandOf(key))),
    ],
    [
      'GET',
      /^\/api\/commands\/([^/]+)\/events$/,
      (request, response, key) => sendEvents(request, response, commandOf(key)),
    ],
  ];

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const path = url.split('?')[0] ?? '';
    if (path.startsWith('/api/')) await requireCaller(headers.authorization, headers.origin);
    for (const [routeMethod, pattern, answer] of routes) {
      const match = pattern.exec(path);
      if (!match || routeMethod !== method) continue;
      await answer(request, response, decode(match[1] ?? ''));
      return;
    }
    throw new ControlPlaneError('unknown_route', `there is no ${method} ${path}`);
  }

  async function requireCaller(authorization: string | undefined, origin: string | undefined): Promise<void> {
    if (!(await isAuthorized(authorization, token))) {
      throw new ControlPlaneError('unauthenticated', 'send the token as Authorization: Bearer');
    }
    // Browsers send Origin; without a token it is all that keeps a web page from commanding clusters.
    if (token === undefined && origin !== undefined) {
      throw new ControlPlaneError('unauthenticated', 'web pages are served only where a token is asked for');
    }
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof ControlPlaneError) sendError(response, error);
      else {
        log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a request failed');
        sendJson(response, 500, { error: { code: 'internal', message: "the control plane's log says more" } });
      }
    });
  };
}

function describe(command: SentCommand) {
  const { key, agentId, type, state, outcome } = command;
  return { key, agentId, type, state, ...(outcome && { result: outcome }) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlPlaneError('bad_request', 'the path is not properly encoded');
  }
}
