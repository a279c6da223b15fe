import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** The responses of a provider that differ from right ones. */
export interface Lies {
  /** Replaces claims of the ID token. Undefined removes one. */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Signs with a key that the provider does not publish. */
  isForged?: boolean;
  /** Has no signature. */
  isUnsigned?: boolean;
  /** The response of the token endpoint, as it is. */
  body?: string;
  status?: number;
}

/**
 * Starts an OpenID provider that authenticates anyone at once, and lies as a test says. A code is
 * valid once, and for its client, as the tests with a real provider show.
 */
export async function fakeProvider(t: ExecutionContext) {
  const state: { lies: Lies; claims: Record<string, unknown>; requests: string[] } = {
    lies: {},
    claims: { sub: '1', email: 'kim@example.com', email_verified: true, groups: ['platform'] },
    requests: [],
  };
  /** The nonces of sign-ins, by their codes. */
  const codes = new Map<string, string>();
  const server = createServer((request, response) => {
    void respond(request).then(({ status = 200, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function respond(request: IncomingMessage): Promise<{ status?: number; body: string }> {
    const { url = '' } = request;
    state.requests.push(url);
    if (url === '/.well-known/openid-configuration') return { body: JSON.stringify(metadata()) };
    if (url === '/jwks') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' };
      return { body: JSON.stringify({ keys: [key] }) };
    }
    const form = new URLSearchParams(await text(request));
    const nonce = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (nonce === undefined) return { status: 400, body: JSON.stringify({ error: 'invalid_grant' }) };
    const { lies } = state;
    const token = { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: idToken(nonce) };
    return { ...(lies.status !== undefined && { status: lies.status }), body: lies.body ?? JSON.stringify(token) };
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  function idToken(nonce: string): string {
    const { lies, claims } = state;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 60 };
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const header = encode({ alg: 'RS256', kid: 'k', ...lies.header });
    const payload = encode({ iss: issuer, aud: 'hub', nonce, ...times, ...claims, ...lies.claims });
    const key = lies.isForged === true ? stranger.privateKey : privateKey;
    const signature = sign('RSA-SHA256', Buffer.from(`${header}.${payload}`), key).toString('base64url');
    return `${header}.${payload}.${lies.isUnsigned === true ? '' : signature}`;
  }

  return {
    issuer,
    state,
    /** Signs in at the address of an authorization request, and returns the callback. */
    authenticate(address: string): string {
      const query = new URL(address).searchParams;
      const code = `code-${codes.size}-${query.get('state') ?? ''}`;
      codes.set(code, query.get('nonce') ?? '');
      const callback = new URL(query.get('redirect_uri') ?? '');
      callback.searchParams.set('code', code);
      callback.searchParams.set('state', query.get('state') ?? '');
      return callback.href;
    },
  };
}
