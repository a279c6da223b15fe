import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type CommandStore, createMemoryStore } from '../../../src/control-plane/index.ts';
import type { CloudEvent } from '../../../src/control-plane/webhooks/deliver-webhook.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlane } from '../support/plane.ts';
import { fakeAgent } from './support/fake-agent.ts';
import { FakeCluster } from './support/fleet.ts';

/** Starts a receiver of webhooks, which responds with a status. */
async function receiver(t: ExecutionContext, status: (event: CloudEvent) => number) {
  const events: CloudEvent[] = [];
  const server = createServer((request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((chunks: string[]) => {
        const event = JSON.parse(chunks.join('')) as CloudEvent;
        events.push(event);
        response.writeHead(status(event), { location: 'http://127.0.0.1:1/' }).end('{"ok":true}');
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { events, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/check` };
}

async function world(t: ExecutionContext, store: CommandStore = createMemoryStore(), webhookHosts = ['127.0.0.1']) {
  const { plane, url, agentUrl } = await testPlane(t, { store, webhookHosts });
  const clusters = Array.from({ length: 2 }, () => new FakeCluster());
  for (const [index, cluster] of clusters.entries()) await fakeAgent(agentUrl, `edge-${index}`, cluster);
  /** Creates a webhook. Returns its id, or the status of a refusal. */
  const webhook = async (receiverUrl: string, event: string) => {
    const response = await fetch(`${url}/api/webhooks`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ url: receiverUrl, events: [event] }),
    });
    const { id = '' } = (await response.json()) as { id?: string };
    return response.ok ? id : String(response.status);
  };
  return { plane, clusters, webhook };
}

const rollout = {
  ...{ id: 'r1', agents: ['edge-*'], payload: { releaseName: 'web', chartName: 'new' } },
  ...{ soak: false as const, waves: [{ size: 1 }, {}] },
};

const typesOf = (events: readonly CloudEvent[]) => events.map(({ type }) => type.replace('io.github.helm-agent.', ''));

test('a webhook is asked between two waves, and gets the changes of the rollout', async (t) => {
  const { plane, webhook } = await world(t);
  const { events, url } = await receiver(t, () => 200);
  const check = await webhook(url, 'rollout.changed');
  await plane.rollouts.start({ ...rollout, check });
  await eventually('it succeeds', () => plane.rollouts.get('r1').phase === 'succeeded');
  await eventually('the receiver has its end', () =>
    events.some(({ data }) => 'phase' in data && data.phase === 'succeeded'),
  );
  const question = events.find(({ type }) => type === 'io.github.helm-agent.rollout.check');
  t.like(question, { subject: 'r1', data: { rolloutId: 'r1', wave: 1 } });
  const changes = events.filter(({ type }) => type.endsWith('rollout.changed')).map(({ data }) => data);
  t.deepEqual(
    changes.map((data) => ('phase' in data && 'wave' in data ? [data.phase, data.wave] : [])),
    [
      ['running', 1],
      ['running', 2],
      ['succeeded', 2],
    ],
  );
  t.is(typesOf(events).filter((type) => type === 'rollout.check').length, 1, 'not after the last wave');
});

for (const [name, status] of [
  ['a refusal', 403],
  ['a redirect, which is not followed', 302],
] as const) {
  test(`${name} of the check returns the clusters of its wave`, async (t) => {
    const { plane, clusters, webhook } = await world(t);
    const { url } = await receiver(t, () => status);
    const check = await webhook(url, 'audit');
    await plane.rollouts.start({ ...rollout, check });
    await eventually('it fails', () => plane.rollouts.get('r1').phase === 'failed');
    t.is(plane.rollouts.get('r1').reason, 'the check of wave 1 says no');
    t.deepEqual(
      clusters.map(({ chart }) => chart),
      ['old', 'old'],
    );
  });
}

test('a rollout that waits for its check waits for it also after a restart, with the same question', async (t) => {
  const store = createMemoryStore();
  const { plane, clusters, webhook } = await world(t, store);
  let answer = 202;
  const { events, url } = await receiver(t, ({ type }) => (type.endsWith('check') ? answer : 200));
  const check = await webhook(url, 'agent.connected');
  await plane.rollouts.start({ ...rollout, check });
  const questions = () => events.filter(({ type }) => type.endsWith('rollout.check'));
  await eventually('it asks', () => questions().length > 0);
  t.is(plane.rollouts.get('r1').waveStage, 'checking');
  await plane.close();
  answer = 204;
  const second = await testPlane(t, { store, webhookHosts: ['127.0.0.1'] });
  for (const [index, cluster] of clusters.entries()) await fakeAgent(second.agentUrl, `edge-${index}`, cluster);
  await eventually('it succeeds', () => second.plane.rollouts.get('r1').phase === 'succeeded');
  t.is(new Set(questions().map(({ id }) => id)).size, 1);
  t.deepEqual(
    clusters.map(({ revisions }) => revisions.length),
    [2, 2],
  );
});

test('a check that is no webhook is refused, and one inside a network is not asked', async (t) => {
  const { plane, webhook } = await world(t, createMemoryStore(), []);
  await t.throwsAsync(plane.rollouts.start({ ...rollout, check: 'other' }), { code: 'bad_request' });
  await t.throwsAsync(plane.rollouts.start({ ...rollout, check: 'https://169.254.169.254/' }), { code: 'bad_request' });
  t.deepEqual(plane.rollouts.list(), []);
  const { events, url } = await receiver(t, () => 200);
  t.is(await webhook(url, 'audit'), '400');
  t.deepEqual(events, []);
});
