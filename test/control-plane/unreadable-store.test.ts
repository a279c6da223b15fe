import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type CommandEvent, type CommandStore, createMemoryStore } from '../../src/control-plane/index.ts';
import type { CloudEvent } from '../../src/control-plane/webhooks/deliver-webhook.ts';
import type { StoredWebhook } from '../../src/control-plane/webhooks/webhook.ts';
import { eventually } from '../support/eventually.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';
import { batch, record } from './support/stored.ts';

const parameters = { releaseName: 'web', chartName: 'c' };

/** Returns a store with two commands that have succeeded, whose first reads of events fail. */
async function unreadableStore(failures: number, webhook?: StoredWebhook) {
  const store = createMemoryStore();
  const done = (number: number) =>
    record(`k${number}`, {
      ...{ state: 'done', lastEvent: 1, bytes: 256 },
      end: { number, at: Date.now(), isDelivered: false, outcome: 'succeeded' },
    });
  const result: CommandEvent = { id: 1, type: 'result', payload: { ...installed, ok: true } };
  await store.write(
    batch({
      commands: [done(1), done(2)],
      events: ['k1', 'k2'].map((key) => ({ key, bytes: 256, event: result })),
      ...(webhook && { entries: [{ collection: 'webhook', id: 'w', text: JSON.stringify(webhook) }] }),
    }),
  );
  let reads = 0;
  const events: CommandStore['events'] = (key) =>
    ++reads > failures ? store.events(key) : Promise.reject(new Error('connection terminated'));
  return { store: { ...store, events }, readable: store, readsOf: () => reads };
}

const isDelivered = async (store: CommandStore) => (await store.open()).commands.map(({ end }) => end?.isDelivered);

test('a result that cannot be read is read again, and is neither wrong nor lost', async (t) => {
  const { store, readsOf } = await unreadableStore(2);
  const { plane, lines } = await testPlane(t, { store });
  for await (const { key, result } of plane.results()) {
    t.deepEqual(result, installed);
    if (key === 'k2') break;
  }
  t.is(readsOf(), 4);
  t.is(lines.filter((line) => line.includes('connection terminated')).length, 1);
});

test('the events of a command are read again', async (t) => {
  const { store } = await unreadableStore(1);
  const { plane } = await testPlane(t, { store });
  const types: string[] = [];
  for await (const { type } of plane.command('k1') ?? []) types.push(type);
  t.deepEqual(types, ['result']);
});

test('a result that the store does not have is not kept any more', async (t) => {
  const { store } = await unreadableStore(0);
  const { plane } = await testPlane(t, { store: { ...store, events: () => Promise.resolve([]) } });
  t.like(await plane.command('k1')?.result, { ok: false, error: { code: 'command_not_found' } });
});

test('the API says of a result that cannot be read that the store is unavailable', async (t) => {
  const { store } = await unreadableStore(1);
  const { url } = await testPlane(t, { store });
  const response = await fetch(`${url}/api/commands/k1`);
  t.is(response.status, 503);
  t.like(await response.json(), { code: 'store_unavailable' });
  t.like(await (await fetch(`${url}/api/commands/k1`)).json(), { state: 'done', result: installed });
});

/** Returns the URL of a receiver, and the events that it has got. */
async function receiver(t: ExecutionContext) {
  const events: CloudEvent[] = [];
  const server = createServer((request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((chunks: string[]) => {
        events.push(JSON.parse(chunks.join('')) as CloudEvent);
        response.end();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, events };
}

test('a webhook gets a result that could not be read after the restart', async (t) => {
  const { url, events } = await receiver(t);
  const webhook: StoredWebhook = {
    ...{ url, events: ['command.ended'], secrets: [{ secret: 'whsec_AAAA' }], createdAt: 1, results: 0, audit: 0 },
  };
  const { store, readable, readsOf } = await unreadableStore(Infinity, webhook);
  const webhookHosts = ['127.0.0.1'];
  const { plane } = await testPlane(t, { store, webhookHosts });
  await eventually('results were read twice', () => readsOf() > 1);
  await plane.close();
  t.deepEqual(events, []);
  await testPlane(t, { store: readable, webhookHosts });
  await eventually('the receiver has both', () => events.length === 2);
  for (const { data } of events) t.like(data, { ok: true });
});

test('results end when the control plane is closed, and what has no result says so', async (t) => {
  const { store, readsOf } = await unreadableStore(Infinity);
  const { plane, agentUrl } = await testPlane(t, { store });
  await rawAgent(agentUrl);
  const open = plane.install('edge-1', parameters);
  await open.stored;
  const results = plane.results();
  const next = results.next();
  const rejections = [open.result, plane.command('k2')?.result, last(open)].map((promise) =>
    t.throwsAsync(promise ?? Promise.resolve(), { code: 'store_unavailable' }),
  );
  await eventually('the results were read', () => readsOf() > 1);
  await plane.close();
  t.deepEqual(await next, { done: true, value: undefined });
  await Promise.all(rejections);
  t.deepEqual(await isDelivered(store), [false, false, undefined]);
});

test('a result that was read before the control plane was closed stays known', async (t) => {
  const { store } = await unreadableStore(0);
  const { plane } = await testPlane(t, { store });
  await plane.command('k1')?.result;
  await plane.close();
  t.deepEqual(await plane.command('k1')?.result, installed);
});

async function last(events: AsyncIterable<unknown>): Promise<unknown> {
  let newest: unknown;
  for await (const event of events) newest = event;
  return newest;
}
