import * as z from 'zod';
import { answerProbe, type Health } from '../net/health.ts';
import { type ApiRoute, type Handler, sendJson } from './http-json.ts';

export interface HealthRoutesOptions {
  health: Health;
  commands: { readonly isAvailable: boolean };
  /** Whether the last change of the agents' credentials could be read. */
  areAgentsReadable: () => boolean;
}

const readySchema = z.object({ store: z.enum(['ok', 'failing']), agentsFile: z.enum(['ok', 'not readable']) });

const querySchema = z.object({
  verbose: z.string().optional().describe('Lists the checks, also if none fails'),
  exclude: z.string().optional().describe('The name of a check that is left out'),
});

const plainText = 'text/plain; charset=utf-8';

/** Returns the routes for probes, which need no token. */
export function healthRoutes({ health, commands, areAgentsReadable }: HealthRoutesOptions): ApiRoute[] {
  /** Responds with JSON at the older paths, unless the form of Kubernetes is asked for. */
  const handler: Handler = ({ url = '' }, response) => {
    const { status, text } = answerProbe(url, health) ?? { status: 404, text: '' };
    if (url === '/healthz') sendJson(response, 200, { status: 'ok' });
    else if (url === '/readyz') {
      const agentsFile = areAgentsReadable() ? 'ok' : 'not readable';
      sendJson(response, status, { store: commands.isAvailable ? 'ok' : 'failing', agentsFile });
    } else response.writeHead(status, { 'content-type': plainText }).end(text);
  };
  const probe = { method: 'GET', audience: 'anyone', query: querySchema, handler } as const;
  const passed = { description: 'The checks hold', mediaType: plainText };
  const failed = { description: 'A check fails', mediaType: plainText };
  const unknown = { description: 'There is no check with this name', mediaType: plainText };
  const ofOne = { 200: passed, 404: unknown, 503: failed };
  return [
    {
      ...probe,
      path: '/livez',
      name: 'isLive',
      summary: 'Says whether the process works',
      responses: { 200: passed, 503: failed },
    },
    {
      ...probe,
      path: '/readyz',
      name: 'isReady',
      summary: 'Says whether the control plane can do its work; as JSON without a query',
      responses: { 200: { ...passed, schema: readySchema }, 503: { ...failed, schema: readySchema } },
    },
    {
      ...probe,
      path: '/healthz',
      name: 'isHealthy',
      summary: 'An older name of /livez; as JSON without a query',
      responses: { 200: { ...passed, schema: z.object({ status: z.literal('ok') }) }, 503: failed },
    },
    ...['livez', 'readyz', 'healthz'].map((name): ApiRoute => ({
      ...probe,
      path: `/${name}/{check}`,
      name: `${name}Check`,
      summary: `Says whether one check of /${name} holds`,
      responses: ofOne,
    })),
  ];
}
