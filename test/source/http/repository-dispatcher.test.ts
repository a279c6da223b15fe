import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type ChartSourceOptions, createChartSource } from '../../../src/source/chart-source.ts';
import { startSilentProxy } from '../../kube/proxies.ts';
import { eventually } from '../../support/eventually.ts';
import { serve, type TestResponse } from '../test-repository.ts';

const never = new AbortController().signal;
const archive = randomBytes(4000);

/** Responds to requests in turn, and to further ones as to the last. */
function inTurn(...responses: Exclude<TestResponse, string | Buffer>[]): TestResponse {
  let count = 0;
  return (request, response) => responses[Math.min(count++, responses.length - 1)]?.(request, response);
}

const whole = (_: IncomingMessage, response: ServerResponse) => response.end(archive);
const status = (code: number, headers: Record<string, string> = { 'retry-after': '0' }) => {
  return (_: IncomingMessage, response: ServerResponse) => response.writeHead(code, headers).end('<html>sorry</html>');
};

async function downloadFrom(t: ExecutionContext, response: TestResponse, options: ChartSourceOptions = {}) {
  const { url, requests } = await serve(t, { '/web.tgz': response });
  const source = createChartSource({ retry: true, ...options });
  const chart = { chartName: `${url}/web.tgz` };
  return { requests, download: (signal = never) => source.download(chart, signal) };
}

for (const code of [429, 500, 502, 503, 504]) {
  test(`repeats a request that is refused with ${code}`, async (t) => {
    const { requests, download } = await downloadFrom(t, inTurn(status(code), status(code), whole));
    t.deepEqual(Buffer.from(await download()), archive);
    t.is(requests.length, 3);
  });
}

test('waits as long as Retry-After says', async (t) => {
  const { download } = await downloadFrom(t, inTurn(status(429, { 'retry-after': '1' }), whole));
  const started = performance.now();
  await download();
  t.true(performance.now() - started >= 990);
});

test('does not repeat a request for a file that is not there', async (t) => {
  const { requests, download } = await downloadFrom(t, inTurn(status(404), whole));
  await t.throwsAsync(download(), { code: 'repository_not_found' });
  t.is(requests.length, 1);
});

test('fails with the last response after four repetitions', async (t) => {
  const { requests, download } = await downloadFrom(t, status(503));
  await t.throwsAsync(download(), { code: 'repository_failed', message: /status 503/ });
  t.is(requests.length, 5);
});

test('does not repeat requests unless told to', async (t) => {
  const { requests, download } = await downloadFrom(t, inTurn(status(503), whole), { retry: false });
  await t.throwsAsync(download(), { code: 'repository_failed' });
  t.is(requests.length, 1);
});

test('downloads the rest of a file whose connection was reset', async (t) => {
  const half = Math.floor(archive.length / 2);
  const ranges: unknown[] = [];
  const { download } = await downloadFrom(
    t,
    inTurn(
      (_, response) => {
        response.writeHead(200, { 'content-length': archive.length, etag: '"1"' });
        response.write(archive.subarray(0, half), () => setTimeout(() => response.destroy(), 50));
      },
      ({ headers }, response) => {
        ranges.push([headers.range, headers['if-match']]);
        const range = `bytes ${half}-${archive.length - 1}/${archive.length}`;
        response.writeHead(206, { 'content-range': range, etag: '"1"' }).end(archive.subarray(half));
      },
    ),
  );
  t.deepEqual(Buffer.from(await download()), archive);
  t.deepEqual(ranges, [[`bytes=${half}-${archive.length - 1}`, '"1"']]);
});

test('stops waiting when the command is cancelled', async (t) => {
  const { requests, download } = await downloadFrom(t, status(503, { 'retry-after': '40' }));
  const reason = new Error('cancelled');
  const controller = new AbortController();
  const downloaded = t.throwsAsync(download(controller.signal));
  await eventually('the server is asked', () => requests.length > 0);
  controller.abort(reason);
  t.is(await downloaded, reason);
  t.is(requests.length, 1);
});

/** Starts a proxy that responds in place of the servers it is asked for. */
async function startProxy(t: ExecutionContext) {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.end(archive);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => server.close());
  return { proxyEnv: { HTTP_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, asked };
}

test('goes through the proxy of the environment, except to the hosts of NO_PROXY', async (t) => {
  const { proxyEnv, asked } = await startProxy(t);
  const chart = { chartName: 'http://192.0.2.1/web.tgz' };
  t.deepEqual(Buffer.from(await createChartSource({ proxyEnv }).download(chart, never)), archive);
  t.deepEqual(asked, ['http://192.0.2.1/web.tgz']);
  const direct = createChartSource({ proxyEnv: { ...proxyEnv, NO_PROXY: '.invalid' } });
  // the name is looked up here
  await t.throwsAsync(direct.download({ chartName: 'http://charts.invalid/web.tgz' }, never), {
    message: /getaddrinfo/,
  });
  t.is(asked.length, 1);
});

test('ends by its signal while a proxy opens no tunnel', async (t) => {
  const proxyEnv = { HTTPS_PROXY: `http://${await startSilentProxy(t)}` };
  const download = createChartSource({ proxyEnv }).download(
    { chartName: 'https://charts.example/web.tgz' },
    AbortSignal.timeout(100),
  );
  await t.throwsAsync(download, { name: 'TimeoutError' });
});

test('goes to this machine without a proxy', async (t) => {
  const { proxyEnv, asked } = await startProxy(t);
  const { download, requests } = await downloadFrom(t, whole, { proxyEnv });
  await download();
  t.is(requests.length, 1);
  t.deepEqual(asked, []);
});

test('goes through a proxy without a scheme', async (t) => {
  const { proxyEnv, asked } = await startProxy(t);
  const source = createChartSource({ proxyEnv: { HTTP_PROXY: proxyEnv.HTTP_PROXY.replace('http://', '') } });
  await source.download({ chartName: 'http://charts.example/web.tgz' }, never);
  t.deepEqual(asked, ['http://charts.example/web.tgz']);
});

test('a proxy that cannot be used fails only the requests that need it', async (t) => {
  const { download } = await downloadFrom(t, whole, { proxyEnv: { HTTP_PROXY: 'socks5://u:secret@proxy.example' } });
  t.deepEqual(Buffer.from(await download()), archive);
  const source = createChartSource({ proxyEnv: { HTTP_PROXY: 'socks5://u:secret@proxy.example' } });
  const { message } = await t.throwsAsync(source.download({ chartName: 'http://charts.example/a.tgz' }, never));
  t.regex(message, /: HTTP_PROXY must be the URL of an http or https proxy;/);
  t.notRegex(message, /secret/);
});

test('does not reach a denied address through a proxy', async (t) => {
  const { proxyEnv, asked } = await startProxy(t);
  const { download } = await downloadFrom(t, whole, { proxyEnv, denyAddresses: ['loopback'] });
  await t.throwsAsync(download(), { code: 'address_denied' });
  t.deepEqual(asked, []);
});
