import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { processHost } from '../../../src/render/process-host.ts';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { fetchText } from '../../../src/source/http/download.ts';

const company = makeCertificates(processHost(), '127.0.0.1');
const internal = makeCertificates(processHost(), 'charts.example');
const stranger = makeCertificates(processHost(), '127.0.0.1');

// Node reads these when it needs the CAs of the machine for the first time
const folder = await mkdtemp(join(tmpdir(), 'helm-agent-ca-'));
await writeFile(join(folder, 'ca.pem'), `${company.ca}\n${internal.ca}`);
process.env['SSL_CERT_FILE'] = join(folder, 'ca.pem');
process.env['SSL_CERT_DIR'] = folder;

const servers: Server[] = [];
async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server has no other address
}

const start = ({ certificate: cert, key }: typeof company) =>
  listen(createServer({ cert, key }, (_, response) => response.end('a chart')));
const trusted = await start(company);
const unknown = await start(stranger);

// a proxy that leads to one server
const named = await start(internal);
const proxy = createHttpServer();
proxy.on('connect', (_, socket) => {
  const server = connect(Number(named.split(':')[1]), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.pipe(socket).pipe(server);
  });
  server.on('error', () => socket.destroy());
  socket.on('error', () => server.destroy());
});
const proxyUrl = `http://${await listen(proxy)}`;

test.after.always(() => {
  for (const server of servers) server.close();
});
test.after.always(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();
const chartAt = (host: string) => ({ chartName: `https://${host}/web.tgz` });

for (const [way, options] of Object.entries({ directly: {}, 'with repetitions': { retry: true } })) {
  test(`a server whose CA the machine trusts is trusted ${way}`, async (t) => {
    const source = createChartSource(options);
    for (let times = 0; times < 2; times++) {
      t.is(Buffer.from(await source.download(chartAt(trusted), signal)).toString(), 'a chart');
    }
  });

  test(`a server whose CA is not known is an error ${way}`, async (t) => {
    const source = createChartSource(options);
    const error = await t.throwsAsync(source.download(chartAt(unknown), signal), { code: 'repository_failed' });
    t.regex(error.message, /certificate/);
  });
}

test('a file is fetched from a server whose CA the machine trusts', async (t) => {
  t.is(await fetchText(`https://${trusted}/values.yaml`, 'the values', signal), 'a chart');
  await t.throwsAsync(fetchText(`https://${unknown}/values.yaml`, 'the values', signal), { message: /certificate/ });
});

test('a server whose CA the machine trusts is trusted through a proxy', async (t) => {
  const source = createChartSource({ proxyEnv: { HTTPS_PROXY: proxyUrl } });
  const archive = await source.download({ chartName: 'https://charts.example/web.tgz' }, signal);
  t.is(Buffer.from(archive).toString(), 'a chart');
  const own = { tls: { ca: stranger.ca } };
  const refused = source.download({ chartName: 'https://charts.example/web.tgz', ...own }, signal);
  await t.throwsAsync(refused, { message: /certificate/ });
});

test('with a CA of its own, a request does not trust those of the machine', async (t) => {
  const source = createChartSource();
  const own = { tls: { ca: stranger.ca } };
  t.is(Buffer.from(await source.download({ ...chartAt(unknown), ...own }, signal)).toString(), 'a chart');
  await t.throwsAsync(source.download({ ...chartAt(trusted), ...own }, signal), { message: /certificate/ });
});

for (const [whose, ca, times, connections] of [
  ['of its own', company.ca, 'once', 1],
  ['of the machine', undefined, 'twice', 2], // first without reading its CAs
] as const) {
  test(`a server that no CA ${whose} has signed is connected to ${times}, without advice for Node`, async (t) => {
    const { certificate: cert, key } = stranger;
    const server = createServer({ cert, key });
    let count = 0;
    server.on('connection', () => count++);
    const refused = createChartSource().download({ ...chartAt(await listen(server)), tls: { ca } }, signal);
    const error = await t.throwsAsync(refused, { message: /unable to verify the first certificate; check the URL/ });
    t.notRegex(error.message, /Node/);
    t.is(count, connections);
  });
}

test('a client certificate is also sent to a server whose CA the machine trusts', async (t) => {
  const { certificate: cert, key } = company;
  const guarded = createServer({ cert, key, ca: stranger.ca, requestCert: true }, (_, response) => {
    response.end('for members');
  });
  const host = await listen(guarded);
  const tls = { cert: stranger.certificate, key: stranger.key };
  t.is(Buffer.from(await createChartSource().download({ ...chartAt(host), tls }, signal)).toString(), 'for members');
});
