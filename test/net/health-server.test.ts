import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Health } from '../../src/net/health.ts';
import { startHealthServer } from '../../src/net/health-server.ts';
import { eventually } from '../support/eventually.ts';

const health: Health = { live: () => [], ready: () => [] };

async function server(t: ExecutionContext, text: () => Promise<string> = () => Promise.resolve('up 1\n')) {
  const started = await startHealthServer(0, health, { contentType: 'text/plain; version=0.0.4', text });
  t.teardown(() => started.close());
  return started.port;
}

const request = (port: number, path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method });

test('serves metrics to GET and HEAD, and nothing else', async (t) => {
  const port = await server(t);
  const found = await request(port, '/metrics?name[]=up');
  t.is(found.headers.get('content-type'), 'text/plain; version=0.0.4');
  t.is(await found.text(), 'up 1\n');
  const head = await request(port, '/metrics', 'HEAD');
  t.is(head.headers.get('content-length'), '5');
  t.is(await head.text(), '');
  const post = await request(port, '/metrics', 'POST');
  t.is(post.status, 405);
  t.is(post.headers.get('allow'), 'GET, HEAD');
  t.is((await request(port, '/metrics/')).status, 404);
  t.is((await request(port, '/')).status, 404);
});

test('a long URL is refused, and the probes work after it', async (t) => {
  const port = await server(t);
  t.is((await request(port, `/metrics?${'a'.repeat(100_000)}`)).status, 431);
  t.is((await request(port, '/livez')).status, 200);
});

test('a text that cannot be made ends the connection, and not the process', async (t) => {
  const port = await server(t, () => Promise.reject(new Error('a defect')));
  await t.throwsAsync(request(port, '/metrics'));
  t.is((await request(port, '/livez')).status, 200);
});

test('connections of one address that send nothing do not keep the probes of another one away', async (t) => {
  const port = await server(t);
  const idle = Array.from({ length: 200 }, () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' }));
  t.teardown(() => idle.forEach((socket) => socket.destroy()));
  for (const socket of idle) socket.on('error', () => undefined);
  await Promise.all(idle.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  for (let probe = 0; probe < 5; probe++) {
    const kubelet = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    kubelet.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(kubelet, 'data')) as [Buffer];
    t.regex(answer.toString(), /^HTTP\/1.1 200 /);
    kubelet.destroy();
  }
});

test('a flood of scrapes is answered or ended, and does not hold up a probe', async (t) => {
  const text = 'up 1\n'.repeat(50_000);
  const port = await server(t, () => Promise.resolve(text));
  const scrapes = Array.from({ length: 300 }, () =>
    request(port, '/metrics').then(
      (found) => found.text(),
      () => '',
    ),
  );
  const probe = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
  probe.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
  const [answer] = (await once(probe, 'data')) as [Buffer];
  t.regex(answer.toString(), /^HTTP\/1.1 200 /);
  probe.destroy();
  const texts = await Promise.all(scrapes);
  t.true(texts.includes(text));
});

test('a reader that does not read is cut off', async (t) => {
  const large = 'up 1\n'.repeat(4_000_000);
  const started = await startHealthServer(
    0,
    health,
    { contentType: 'text/plain', text: () => Promise.resolve(large) },
    300,
  );
  t.teardown(() => started.close());
  const socket = connect(started.port, '127.0.0.1');
  socket.on('error', () => undefined);
  let isClosed = false;
  socket.on('close', () => (isClosed = true));
  socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
  socket.pause();
  await sleep(600);
  socket.resume(); // its buffers hold the beginning
  await eventually('the connection is closed', () => isClosed);
  t.true(socket.bytesRead < large.length);
});
