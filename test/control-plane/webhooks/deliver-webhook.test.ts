import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import {
  type CloudEvent,
  deliverWebhook,
  type DeliveryOutcome,
} from '../../../src/control-plane/webhooks/deliver-webhook.ts';
import { closing } from '../../support/closing.ts';

const event: CloudEvent = {
  ...{
    specversion: '1.0',
    id: 'hub_result_1',
    source: 'urn:helm-agent:hub',
    type: 'io.github.helm-agent.command.ended',
  },
  ...{ time: '2026-01-02T03:04:05.678Z', datacontenttype: 'application/json', data: { key: 'ä' } },
};
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const older = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

const options = {
  allowedHosts: ['receiver.test'],
  resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  now: () => new Date(),
};

async function receiver(t: ExecutionContext, onRequest: RequestListener): Promise<number> {
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const send = (url: string, more: Partial<Parameters<typeof deliverWebhook>[1]> = {}) =>
  deliverWebhook({ url, secrets: [secret, older], event }, { ...options, ...more }, new AbortController().signal);

test('a delivery is an event of CloudEvents that verifiers of Standard Webhooks accept, by both secrets', async (t) => {
  const received: { request: IncomingMessage; body: string }[] = [];
  const port = await receiver(t, (request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((chunks: string[]) => {
        received.push({ request, body: chunks.join('') });
        response.writeHead(204).end();
      });
  });
  t.deepEqual(await send(`http://receiver.test:${port}/hook?a=b`), { status: 204 });
  const [{ request, body }] = received as [(typeof received)[0]]; // it has responded
  t.like(request, { method: 'POST', url: '/hook?a=b' });
  t.is(request.headers['content-type'], 'application/cloudevents+json; charset=utf-8');
  t.is(request.headers['webhook-id'], event.id);
  t.is(request.headers.host, `receiver.test:${port}`);
  for (const one of [secret, older]) {
    t.deepEqual(new Webhook(one).verify(body, request.headers as Record<string, string>), event);
  }
  const stranger = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`);
  t.throws(() => stranger.verify(body, request.headers as Record<string, string>));
  t.throws(() => new Webhook(secret).verify(body.replace('ä', 'b'), request.headers as Record<string, string>));
});

test('a redirect is not followed', async (t) => {
  let count = 0;
  const port = await receiver(t, (_request, response) => {
    count++;
    response.writeHead(307, { location: '/other' }).end();
  });
  t.deepEqual(await send(`http://receiver.test:${port}/`), { status: 307 });
  t.is(count, 1);
});

test('nothing of a response that has no end is read', async (t) => {
  const closed = Promise.withResolvers<undefined>();
  const port = await receiver(t, (_request, response) => {
    response.once('close', () => closed.resolve(undefined));
    response.writeHead(200);
    const fill = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', fill);
    fill();
  });
  t.deepEqual(await send(`http://receiver.test:${port}/`), { status: 200 });
  await closed.promise;
});

const failsAgainst = test.macro(async (t, onConnection: (socket: Socket) => void, problem: RegExp) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
    t.teardown(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const outcome = await send(`http://receiver.test:${(server.address() as AddressInfo).port}/`, { timeoutMs: 500 });
  t.regex('problem' in outcome ? outcome.problem : '', problem);
});

test('a receiver that never responds is given up', failsAgainst, () => undefined, /not responded in 0\.5 s/);
test(
  'headers without end are given up',
  failsAgainst,
  (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const fill = () => socket.write(`x: ${'y'.repeat(4000)}\r\n`);
    for (let count = 0; count < 10; count++) fill();
  },
  /HPE_HEADER_OVERFLOW/,
);
test(
  'a response that is not HTTP is a problem without its text',
  failsAgainst,
  (socket: Socket) => socket.end('SECRET of an internal service\r\n\r\n'),
  /^the receiver cannot be reached: HPE_\w+$/,
);

const endsAfter = test.macro(async (t, head: string, outcome: DeliveryOutcome) => {
  const closed = Promise.withResolvers<undefined>();
  const server = createTcpServer((socket) => {
    void closing(socket).then(() => closed.resolve(undefined));
    socket.write(`HTTP/1.1 ${head}\r\n\r\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  t.deepEqual(await send(`http://receiver.test:${port}/`, { timeoutMs: 500 }), outcome);
  await closed.promise;
});

test(
  'a receiver that switches protocols is not waited for',
  endsAfter,
  '101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade',
  { status: 101 },
);
test('a receiver that only announces a response is given up', endsAfter, '103 Early Hints', {
  problem: 'the receiver has not responded in 0.5 s',
});

test('a delivery ends with its signal, also while the name of the receiver is resolved', async (t) => {
  const controller = new AbortController();
  const { signal } = controller;
  const resolve = () => new Promise<never>(() => undefined);
  const delivery = { url: 'https://slow.test/', secrets: [secret], event };
  const sent = deliverWebhook(delivery, { ...options, resolve }, signal);
  controller.abort(new Error('stop'));
  await t.throwsAsync(sent, { message: 'stop' });
  await t.throwsAsync(deliverWebhook(delivery, { ...options, resolve: () => t.fail() }, signal), {
    message: 'stop',
  });
});

test('a name that leads to another address the second time is connected to at the first one', async (t) => {
  let count = 0;
  const resolve = () => Promise.resolve([{ address: count++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
  const port = await receiver(t, (_request, response) => response.writeHead(200).end());
  t.deepEqual(await send(`http://receiver.test:${port}/`, { resolve }), { status: 200 });
  t.is(count, 1);
});

test('a name that leads into the own network is not connected to', async (t) => {
  let count = 0;
  const port = await receiver(t, (_request, response) => {
    count++;
    response.end();
  });
  const outcome = await send(`https://rebound.test:${port}/`);
  t.regex('problem' in outcome ? outcome.problem : '', /not public/);
  t.is(count, 0);
});

test('a name that is never resolved is given up', async (t) => {
  const alive = setTimeout(() => undefined, 60_000); // a time limit alone does not keep a process alive
  t.teardown(() => clearTimeout(alive));
  const outcome = await send('https://slow.test/', { resolve: () => new Promise(() => undefined), timeoutMs: 50 });
  t.regex('problem' in outcome ? outcome.problem : '', /not responded/);
});
