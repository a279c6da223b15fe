import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlPlaneError } from '../error.ts';
import type { Handler, Route } from '../http-json.ts';
import { type DashboardFile, DashboardFiles, pageFile } from './dashboard-files.ts';

/** The page runs only its own scripts, talks only to this server, and is shown in no other page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Time in which a client must read a part of a file. */
const unreadTimeoutMs = 30_000;

/** The dashboard of a folder, whose files anyone may read. */
export interface Dashboard {
  routes: Route[];
  /** Serves the page at all paths that have no route: the views, whose paths the page reads. */
  servePage: Handler;
}

export function openDashboard(folder: string): Dashboard {
  const files = new DashboardFiles(folder);
  const sendAsset: Handler = async (request, response, name) => {
    const file = name === pageFile ? undefined : await files.find(name);
    if (!file) throw unknownRoute(request);
    // its name changes with its content
    sendFile(request, response, file, 'public, max-age=31536000, immutable');
  };
  const servePage: Handler = async (request, response) => {
    const isView = !/^\/(?:api|assets)\//.test(request.url ?? '');
    const isForBrowser = isView && /\btext\/html\b/.test(request.headers.accept ?? '');
    const page = isForBrowser ? await files.find(pageFile) : undefined;
    if (!page) throw unknownRoute(request);
    sendFile(request, response, page, 'no-cache');
  };
  const routes: Route[] = [
    {
      method: 'GET',
      path: '/assets/{name}',
      audience: 'anyone',
      summary: 'Returns a file of the dashboard',
      handler: sendAsset,
    },
  ];
  return { routes, servePage };
}

function unknownRoute({ method = '', url = '' }: IncomingMessage): ControlPlaneError {
  return new ControlPlaneError('unknown_route', `there is no ${method} ${url.split('?')[0] ?? ''}`);
}

function sendFile(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { contentType, content, compressed }: DashboardFile,
  cacheControl: string,
): void {
  const isCompressed = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
  const body = isCompressed ? compressed : content;
  response.writeHead(200, {
    ...securityHeaders,
    'content-type': contentType,
    'content-length': body.length,
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  });
  response.setTimeout(unreadTimeoutMs, () => response.destroy());
  response.end(body);
}
