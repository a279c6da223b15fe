import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { addressOf } from '../access/authenticate-user.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { ControlPlaneError } from '../error.ts';
import { type ApiRoute, readBody, readJson, type RequestBodies, type Route, sendJson, statusOf } from '../http-json.ts';
import { callbackPath, type IdentityProvider, type SignInAttempt } from './identity-provider.ts';
import type { Person } from './person.ts';
import { cookieOf, setCookie } from './session-cookie.ts';
import { sendFailurePage } from './sign-in-page.ts';
import type { SignInSettings } from './sign-in-settings.ts';
import type { SessionKind, UserSessions } from './user-sessions.ts';

/** How people sign in at a control plane. */
export interface SignInBackend {
  settings: () => SignInSettings;
  provider: Pick<IdentityProvider, 'begin' | 'finish' | 'beginDevice' | 'finishDevice'>;
  sessions: UserSessions;
}

export interface SignInRoutesOptions extends SignInBackend {
  bodies: RequestBodies;
  audit: Pick<AuditLog, 'add' | 'addRefusal'>;
}

/** Time for a person to sign in, in seconds. */
const attemptSeconds = 600;

const maxAttemptLength = 3000;
const maxDeviceCodeLength = 1024;

const attemptSchema = z.object({
  ...{ state: z.string().min(1), nonce: z.string().min(1), verifier: z.string().min(1) },
  returnTo: z.string().optional(),
});

const deviceSchema = z.strictObject({ deviceCode: z.string().min(1).max(maxDeviceCodeLength) });

/** Returns the routes with which people sign in. They are for browsers, and for `ctl login`. */
export function signInRoutes({ settings, provider, sessions, bodies, audit }: SignInRoutesOptions): Route[] {
  /** Begins a session, and notes in the audit log who has signed in. */
  const begin = async (request: IncomingMessage, person: Person, kind: SessionKind) => {
    const session = await sessions.create(person, kind);
    const about = { action: 'sign in', user: person.name, from: addressOf(request) };
    audit.add({ ...about, sessionId: session.id, decision: 'allowed', outcome: 'ok' });
    return session;
  };
  const refused = (request: IncomingMessage, error: ControlPlaneError) =>
    audit.addRefusal({ action: 'sign in', from: addressOf(request), outcome: error.code });
  /** Shows a page about a sign-in that has failed. */
  const withPage = async (request: IncomingMessage, response: ServerResponse, action: () => Promise<void>) => {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof ControlPlaneError)) throw error;
      refused(request, error);
      sendFailurePage(response, statusOf(error), error.message);
    }
  };
  const requireDevice = () => {
    if (settings().deviceSignIn) return;
    throw new ControlPlaneError('unsupported', 'sign-in by a code is off; an administrator can turn deviceSignIn on');
  };
  return [
    {
      method: 'GET',
      path: '/sign-in',
      audience: 'anyone',
      summary: 'Sends a browser to the provider at which people sign in',
      handler: (request, response) =>
        withPage(request, response, async () => {
          const { address, ...attempt } = await provider.begin();
          const returnTo = queryOf(request).get('returnTo') ?? undefined;
          const value = formatAttempt({ ...attempt, returnTo: returnAddress(returnTo, settings().url) });
          redirect(response, 302, address, [setCookie('sign-in', settings(), value, attemptSeconds)]);
        }),
    },
    {
      method: 'GET',
      path: callbackPath,
      audience: 'anyone',
      summary: 'Begins the session of a person whom the provider sends back',
      async handler(request, response) {
        const present = settings();
        const attempt = readAttempt(cookieOf(request, 'sign-in', present));
        response.setHeader('set-cookie', setCookie('sign-in', present)); // it is for one attempt
        await withPage(request, response, async () => {
          if (!attempt) {
            const problem = 'the sign-in was begun in another browser, or took longer than 10 minutes';
            throw new ControlPlaneError('bad_request', `${problem}; begin it at ${present.url}`);
          }
          const person = await provider.finish(`?${queryOf(request).toString()}`, attempt);
          // the session from before may be one that another person has begun
          const former = cookieOf(request, 'session', present);
          if (former !== undefined) await sessions.endBrowser(former);
          const { secret } = await begin(request, person, 'browser');
          const seconds = Math.floor(present.lifetime / 1000);
          const cookies = [setCookie('sign-in', present), setCookie('session', present, secret, seconds)];
          redirect(response, 303, localAddress(attempt.returnTo, present), cookies);
        });
      },
    },
    {
      method: 'GET',
      path: '/sign-in/methods',
      audience: 'anyone',
      summary: 'Says how people can sign in',
      handler: (_request, response) => sendJson(response, 200, { browser: true, device: settings().deviceSignIn }),
    },
    {
      method: 'POST',
      path: '/sign-in/device',
      audience: 'anyone',
      summary: 'Begins to sign in on a device without a browser',
      async handler(_request, response) {
        requireDevice();
        sendJson(response, 200, await provider.beginDevice());
      },
    },
    {
      method: 'POST',
      path: '/sign-in/device/token',
      audience: 'anyone',
      summary: 'Returns a token for a person who has signed in for a device',
      async handler(request, response) {
        requireDevice();
        const { deviceCode } = readBody(deviceSchema, await readJson(request, bodies));
        const person = await provider.finishDevice(deviceCode);
        if (typeof person === 'string') {
          sendJson(response, 202, { state: 'pending', slowDown: person === 'slow down' });
          return;
        }
        const { secret, name, expiresAt } = await begin(request, person, 'ctl');
        sendJson(response, 200, { state: 'done', token: secret, name, expiresAt });
      },
    },
  ];
}

/** Returns the route with which people sign out. */
export function signOutRoute(signIn: Pick<SignInBackend, 'settings' | 'sessions'> | undefined): ApiRoute {
  return {
    method: 'POST',
    path: '/api/sign-out',
    audience: 'users',
    name: 'signOut',
    summary: 'Ends the session of the request',
    responses: { 200: { description: 'It has ended', schema: z.object({ signedOut: z.literal(true) }) } },
    errors: ['session_not_found', 'store_unavailable'],
    async handler(_request, response, _id, { principal, note }) {
      const session = signIn?.sessions.sessionOf(principal);
      if (!signIn || !session) {
        throw new ControlPlaneError('session_not_found', 'this user has a token and no session; revoke the token');
      }
      note({ action: 'sign out', sessionId: session.id });
      await signIn.sessions.revoke(session.id);
      response.setHeader('set-cookie', setCookie('session', signIn.settings()));
      sendJson(response, 200, { signedOut: true });
    },
  };
}

function redirect(response: ServerResponse, status: number, location: string, cookies: string[]): void {
  const headers = { location, 'set-cookie': cookies, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  response.writeHead(status, headers).end();
}

/** The cookie is from a browser, so its address is checked again. */
function localAddress(returnTo: string | undefined, { url }: SignInSettings): string {
  return returnAddress(returnTo?.startsWith(`${url}/`) ? returnTo.slice(url.length) : undefined, url);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?').slice(1).join('?'));
}

function formatAttempt(attempt: z.output<typeof attemptSchema>): string {
  return Buffer.from(JSON.stringify(attempt)).toString('base64url');
}

function readAttempt(cookie: string | undefined): (SignInAttempt & { returnTo?: string | undefined }) | undefined {
  if (cookie === undefined || cookie.length > maxAttemptLength) return undefined;
  try {
    return attemptSchema.safeParse(JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined; // it was changed
  }
}

const maxReturnLength = 2000;

/**
 * Returns the address of this server to which a browser goes after it has signed in: the page that
 * it has asked for, or the first page if that is not one of this server.
 */
function returnAddress(returnTo: string | undefined, url: string): string {
  const first = `${url}/`;
  if (returnTo === undefined || returnTo.length > maxReturnLength || !returnTo.startsWith('/')) return first;
  // as browsers read it: "//host", "/\host" and a tab in between lead to other servers
  const address = URL.parse(returnTo, url);
  const isOwn = address?.origin === url && !address.pathname.startsWith('/sign-in');
  // with its host, so that a path such as "//host" stays a path
  return isOwn ? address.href : first;
}
