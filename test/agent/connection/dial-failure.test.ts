import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { dial, DialError } from '../../../src/agent/connection/dial.ts';
import { type DialFailure, explainDialFailure } from '../../../src/agent/connection/dial-failure.ts';

const status = (code: number): DialFailure => ({ kind: 'status', status: code });
const error = (code?: string): DialFailure => ({ kind: 'error', code });

const plain = 'ws://plane.example:8088/agent';
const tls = 'wss://plane.example:8088/agent';

const explanations: [failure: DialFailure, url: string, text: string][] = [
  [
    { kind: 'status', status: 401, hasToken: false },
    tls,
    'the control plane requires a token; name a file that holds the token of this agent with --token-file (HTTP 401)',
  ],
  [
    status(401),
    tls,
    'the control plane refuses the token; check that --token-file holds the token of this agent, and that it is not revoked (HTTP 401)',
  ],
  [
    status(403),
    tls,
    'the control plane forbids this agent; check the token, and proxies that add an Origin header (HTTP 403)',
  ],
  [status(404), tls, 'the server has no control plane at this path; check the path of the URL (HTTP 404)'],
  [
    status(400),
    plain,
    'the server refuses the handshake; check that the URL leads to a control plane, and use wss:// if the port expects TLS (HTTP 400)',
  ],
  [
    status(407),
    tls,
    'a proxy asks for credentials; put them into the URL of the proxy, or connect without the proxy (HTTP 407)',
  ],
  [status(429), tls, 'the control plane has too many connections; the agent tries again later (HTTP 429)'],
  [status(502), tls, 'a proxy cannot reach the control plane; check that the control plane is running (HTTP 502)'],
  [status(503), tls, 'the control plane is not available; the agent tries again later (HTTP 503)'],
  [
    status(504),
    tls,
    'a proxy gets no response from the control plane; check that the control plane is running (HTTP 504)',
  ],
  [status(500), tls, 'the server failed; see its log (HTTP 500)'],
  [status(302), tls, 'the server redirects to another address; give that address as the URL (HTTP 302)'],
  [status(200), tls, 'the server does not open a WebSocket; check that the URL leads to a control plane (HTTP 200)'],
  [error('EPROTO'), tls, 'TLS with plane.example:8088 failed; use ws:// if the port does not serve TLS (EPROTO)'],
  [
    error('ERR_SSL_WRONG_VERSION_NUMBER'),
    tls,
    'TLS with plane.example:8088 failed; use ws:// if the port does not serve TLS (ERR_SSL_WRONG_VERSION_NUMBER)',
  ],
  [
    error('EPROTO'),
    'https://plane.example:8088',
    'TLS with plane.example:8088 failed; use http:// if the port does not serve TLS (EPROTO)',
  ],
  [
    error('SELF_SIGNED_CERT_IN_CHAIN'),
    'https://plane.example:8088',
    "the control plane's certificate is not trusted; name the file with its CA with ctl --ca-file, or in HELM_AGENT_CA_FILE (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [
    error('HPE_INVALID_CONSTANT'),
    plain,
    'plane.example:8088 does not serve HTTP; use wss:// if the port serves TLS (HPE_INVALID_CONSTANT)',
  ],
  [
    error('ECONNRESET'),
    plain,
    'plane.example:8088 closed the connection during the handshake; use wss:// if the port serves TLS (ECONNRESET)',
  ],
  [error('ECONNRESET'), tls, 'plane.example:8088 closed the connection during the handshake (ECONNRESET)'],
  [error('ENOTFOUND'), tls, 'the name plane.example cannot be resolved; check the host of the URL (ENOTFOUND)'],
  [error('EAI_AGAIN'), tls, 'the name plane.example cannot be resolved at the moment; check DNS (EAI_AGAIN)'],
  [
    error('ECONNREFUSED'),
    tls,
    'plane.example:8088 refuses connections; check the port, and that the control plane is running (ECONNREFUSED)',
  ],
  [error('EHOSTUNREACH'), tls, 'no route leads to plane.example:8088; check the network (EHOSTUNREACH)'],
  [
    error('ETIMEDOUT'),
    tls,
    'plane.example:8088 does not respond; check the address, and firewalls on the way (ETIMEDOUT)',
  ],
  [
    error('SELF_SIGNED_CERT_IN_CHAIN'),
    tls,
    "the control plane's certificate is not trusted; name the file with its CA with --control-plane-ca (SELF_SIGNED_CERT_IN_CHAIN)",
  ],
  [
    error('CERT_HAS_EXPIRED'),
    tls,
    "the control plane's certificate is not valid at this time; renew it, or correct the clock (CERT_HAS_EXPIRED)",
  ],
  [
    error('ERR_TLS_CERT_ALTNAME_INVALID'),
    tls,
    'the certificate is not valid for plane.example; use a host name that the certificate has (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  [
    { kind: 'proxy', status: 403 },
    tls,
    'the proxy refuses to connect to the control plane; check HTTPS_PROXY and the rules of the proxy (HTTP 403)',
  ],
  [
    { kind: 'proxy', status: 407 },
    tls,
    'a proxy asks for credentials; put them into the URL of the proxy, or connect without the proxy (HTTP 407)',
  ],
  [
    { kind: 'error', code: 'ECONNREFUSED', isProxy: true },
    tls,
    'cannot connect to the proxy; check HTTPS_PROXY, or name the control plane in NO_PROXY (ECONNREFUSED)',
  ],
  [
    error('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    tls,
    'the control plane refuses the client certificate; check --client-certificate and --client-key (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
  ],
  [error('EWEIRD'), tls, 'the connection to plane.example:8088 failed (EWEIRD)'],
  [error(), tls, 'the connection to plane.example:8088 failed'],
  [
    { kind: 'timeout' },
    tls,
    'the control plane did not complete the handshake in time; check the address, and firewalls on the way',
  ],
];
for (const [failure, url, text] of explanations) {
  test(`${JSON.stringify(failure)} at ${url} is explained`, (t) => t.is(explainDialFailure(failure, url), text));
}

async function portOf(t: ExecutionContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function failureOf(t: ExecutionContext, url: string, handshakeTimeoutMs = 5000): Promise<DialFailure> {
  const { signal } = new AbortController();
  const dialled = dial({ url, token: undefined, handshakeTimeoutMs, signal }, () => t.fail('it opened'));
  return (await t.throwsAsync(dialled, { instanceOf: DialError })).failure;
}

test('TLS to a port without TLS fails with a code of TLS', async (t) => {
  const port = await portOf(t, createHttpServer());
  const failure = await failureOf(t, `wss://127.0.0.1:${port}`);
  t.regex(explainDialFailure(failure, `wss://127.0.0.1:${port}`), /use ws:\/\/ if the port does not serve TLS/);
});

test('a connection without TLS to a TLS port fails with the advice to use wss://', async (t) => {
  const port = await portOf(t, createTlsServer());
  const failure = await failureOf(t, `ws://127.0.0.1:${port}`);
  t.regex(explainDialFailure(failure, `ws://127.0.0.1:${port}`), /use wss:\/\/ if the port serves TLS/);
});

test('a closed port fails with ECONNREFUSED', async (t) => {
  t.deepEqual(await failureOf(t, 'ws://127.0.0.1:9'), { kind: 'error', code: 'ECONNREFUSED' });
});

test('a server that responds with an HTTP status fails with it', async (t) => {
  const port = await portOf(
    t,
    createHttpServer((_request, response) => response.writeHead(401).end('no')),
  );
  t.deepEqual(await failureOf(t, `ws://127.0.0.1:${port}`), { kind: 'status', status: 401, hasToken: false });
});

test('a server that never responds fails with a timeout', async (t) => {
  const server = createHttpServer();
  server.on('upgrade', () => undefined);
  t.deepEqual(await failureOf(t, `ws://127.0.0.1:${await portOf(t, server)}`, 50), { kind: 'timeout' });
});
