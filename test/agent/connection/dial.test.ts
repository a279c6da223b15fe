import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { WebSocketServer } from 'ws';
import { dial, DialError, type DialOptions } from '../../../src/agent/connection/dial.ts';
import { tlsFiles } from '../../../src/agent/connection/tls-files.ts';
import { processHost } from '../../../src/render/process-host.ts';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';

const certificates = makeCertificates(processHost(), '127.0.0.1');
const client = makeCertificates(processHost(), '127.0.0.1');

async function portOf(t: ExecutionContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port; // a TCP server has no other address
}

/** Starts a control plane with TLS. Returns its URL, and the names of the clients' certificates. */
async function tlsPlane(t: ExecutionContext, options: ServerOptions = {}) {
  const { certificate: cert, key } = certificates;
  const server = createServer({ cert, key, ...options });
  const sockets = new WebSocketServer({ server });
  const names: unknown[] = [];
  sockets.on('connection', (_socket, { socket }) => {
    // without a certificate, there is an empty object
    const certificate: object = socket instanceof TLSSocket ? socket.getPeerCertificate() : {};
    if ('subject' in certificate) names.push((certificate as PeerCertificate).subject.CN);
  });
  return { url: `wss://127.0.0.1:${await portOf(t, server)}`, names };
}

async function files(texts: Record<string, string>): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  const paths = Object.keys(texts).map((name) => [name, join(folder, name)] as const);
  for (const [name, path] of paths) await writeFile(path, texts[name] ?? '');
  return Object.fromEntries(paths);
}

/** Opens a connection and closes it. */
async function dialOnce(options: Pick<DialOptions, 'url'> & Partial<DialOptions>): Promise<void> {
  const { signal } = new AbortController();
  await dial({ token: undefined, handshakeTimeoutMs: 20_000, signal, ...options }, (socket) => socket.terminate());
}

test('trusts the CAs of a file, which is read at each dial', async (t) => {
  const { url } = await tlsPlane(t);
  await t.throwsAsync(dialOnce({ url }), {
    instanceOf: DialError,
    message: /certificate is not trusted; name the file with its CA with --control-plane-ca/,
  });
  const { ca = '' } = await files({ ca: client.ca });
  const readTls = tlsFiles({ ca });
  await t.throwsAsync(dialOnce({ url, secureContext: await readTls() }), { message: /is not trusted/ });
  await writeFile(ca, certificates.ca);
  await t.notThrowsAsync(dialOnce({ url, secureContext: await readTls() }));
});

test('shows its certificate to a control plane that asks for one', async (t) => {
  const { url, names } = await tlsPlane(t, { requestCert: true, rejectUnauthorized: true, ca: client.ca });
  const { ca, certificate, key } = await files({
    ca: certificates.ca,
    certificate: client.certificate,
    key: client.key,
  });
  await t.throwsAsync(dialOnce({ url, secureContext: await tlsFiles({ ca })() }), { instanceOf: DialError });
  await dialOnce({ url, secureContext: await tlsFiles({ ca, certificate, key })() });
  t.deepEqual(names, ['sandbox-apiserver']);
});

test('files for TLS that cannot be used are explained', async (t) => {
  const { ca, certificate, key, empty } = await files({
    ca: certificates.ca,
    certificate: client.certificate,
    key: certificates.key,
    empty: 'nothing',
  });
  const code = 'tls_file_unreadable';
  await t.throwsAsync(tlsFiles({ ca: '/nowhere/ca' })(), { code, message: /cannot read the file of the CA: ENOENT/ });
  await t.throwsAsync(tlsFiles({ ca: empty })(), { code, message: /the file of the CA, .*, must have a certificate/ });
  await t.throwsAsync(tlsFiles({ ca, certificate: empty, key })(), { code, message: /must have a certificate in PEM/ });
  await t.throwsAsync(tlsFiles({ ca, certificate, key })(), { code, message: /cannot be used together/ });
});

/** Starts a proxy. Returns its URL, and the hosts that it connected to. */
async function proxy(t: ExecutionContext, status = 200) {
  const hosts: string[] = [];
  const server = createHttpServer();
  server.on('connect', ({ url = '' }, socket: Socket) => {
    hosts.push(url);
    socket.on('error', () => undefined);
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = url.split(':');
    const target = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.on('error', () => socket.destroy());
    target.pipe(socket).pipe(target);
  });
  return { hosts, url: `http://127.0.0.1:${await portOf(t, server)}` };
}

test('goes through the proxy of HTTPS_PROXY, except to the hosts of NO_PROXY', async (t) => {
  const { url } = await tlsPlane(t);
  const { hosts, url: proxyUrl } = await proxy(t);
  const { ca } = await files({ ca: certificates.ca });
  const secureContext = await tlsFiles({ ca })();
  await dialOnce({ url, secureContext, proxyEnv: { HTTPS_PROXY: proxyUrl } });
  t.deepEqual(hosts, [new URL(url).host]);
  await dialOnce({ url, secureContext, proxyEnv: { HTTPS_PROXY: proxyUrl, NO_PROXY: 'a.example,127.0.0.1' } });
  t.is(hosts.length, 1);
});

for (const [status, explained] of [
  [403, /the proxy refuses to connect to the control plane; check HTTPS_PROXY and the rules of the proxy \(HTTP 403\)/],
  [407, /a proxy asks for credentials/],
] as const) {
  test(`a proxy that responds with ${status} is explained`, async (t) => {
    const { url } = await proxy(t, status);
    await t.throwsAsync(dialOnce({ url: 'wss://127.0.0.1:9', proxyEnv: { HTTPS_PROXY: url } }), { message: explained });
  });
}

test('a proxy that cannot be reached is explained', async (t) => {
  const proxyEnv = { HTTPS_PROXY: 'http://127.0.0.1:9' };
  await t.throwsAsync(dialOnce({ url: 'wss://127.0.0.1:10', proxyEnv }), {
    message: /cannot connect to the proxy; check HTTPS_PROXY.* \(ECONNREFUSED\)/,
  });
});
