import test, { type ExecutionContext } from 'ava';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { commandPageEvents } from '../../src/control-plane/command-list.ts';
import type { Role } from '../../src/control-plane/index.ts';
import { fakeAgent } from './rollouts/support/fake-agent.ts';
import { FakeCluster } from './rollouts/support/fleet.ts';
import { testPlane } from './support/plane.ts';

interface Listed {
  rollouts?: { id: string; phase: string }[];
  commands?: { key: string; state: string }[];
  ids?: string[];
}

async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t, { apiToken: 'root', insecure: true });
  const tokenOf = async (name: string, roles: Role[]) => (await plane.tokens.create({ name, roles })).token;
  /** Opens a stream, and returns a function that returns its next event. */
  const open = async (path: string, token: string) => {
    const gone = new AbortController();
    t.teardown(() => gone.abort());
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` }, signal: gone.signal });
    if (response.body === null || !response.ok) throw new Error(`${path} has responded with ${response.status}`);
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    const reader = events.getReader();
    return async (): Promise<{ type: string; payload: Listed }> => {
      const { value } = await reader.read();
      return { type: value?.event ?? 'end', payload: JSON.parse(value?.data ?? '{}') as Listed };
    };
  };
  return { plane, url, agentUrl, tokenOf, open };
}

const payload = { releaseName: 'web', namespace: 'shop', chartName: 'new' };

test('who watches the rollouts gets all of them, those that change, and those that are deleted', async (t) => {
  const { plane, agentUrl, open } = await world(t);
  await fakeAgent(agentUrl, 'edge-1', new FakeCluster());
  await plane.rollouts.start({ id: 'old', agents: ['edge-1'], payload, soak: '1h' });
  const next = await open('/api/rollout-events', 'root');
  t.is((await next()).payload.rollouts?.[0]?.id, 'old');
  t.is((await next()).type, 'ready');
  await plane.rollouts.abort('old');
  let phase: string | undefined;
  while (phase !== 'aborted') phase = (await next()).payload.rollouts?.[0]?.phase;
  await plane.rollouts.delete('old');
  t.deepEqual(await next(), { type: 'forgotten', payload: { ids: ['old'] } });
});

test('who may not read a release gets no event of its rollouts', async (t) => {
  const { plane, agentUrl, tokenOf, open } = await world(t);
  await fakeAgent(agentUrl, 'edge-1', new FakeCluster());
  await fakeAgent(agentUrl, 'edge-2', new FakeCluster());
  const next = await open('/api/rollout-events', await tokenOf('reader', [{ rights: ['read'], agents: ['edge-2'] }]));
  t.is((await next()).type, 'ready');
  await plane.rollouts.start({ id: 'hidden', agents: ['edge-1'], payload, soak: false });
  await plane.rollouts.start({ id: 'seen', agents: ['edge-2'], payload, soak: false });
  t.is((await next()).payload.rollouts?.[0]?.id, 'seen');
});

test('who watches a page of commands gets it again each time it changes', async (t) => {
  const { plane, agentUrl, open } = await world(t);
  for (const agentId of ['edge-1', 'edge-2']) await fakeAgent(agentUrl, agentId, new FakeCluster());
  const next = await open('/api/command-events?agent=edge-1', 'root');
  t.deepEqual(await next(), { type: 'commands', payload: { commands: [] } });
  plane.send('edge-2', { type: 'install_release', payload, key: 'other' });
  plane.send('edge-1', { type: 'install_release', payload, key: 'k1' });
  t.like(await next(), { payload: { commands: [{ key: 'k1' }] } });
});

test('who may not see a command gets no event about it', async (t) => {
  const { plane, agentUrl, tokenOf, open } = await world(t);
  for (const agentId of ['edge-1', 'edge-2']) await fakeAgent(agentUrl, agentId, new FakeCluster());
  const next = await open('/api/command-events', await tokenOf('reader', [{ rights: ['read'], agents: ['edge-2'] }]));
  t.deepEqual(await next(), { type: 'commands', payload: { commands: [] } });
  plane.send('edge-1', { type: 'install_release', payload, key: 'hidden' });
  plane.send('edge-2', { type: 'install_release', payload, key: 'seen' });
  t.deepEqual(
    (await next()).payload.commands?.map(({ key }) => key),
    ['seen'],
  );
});

for (const query of ['cursor=nonsense', 'limit=0', 'limit=100000', 'state=other', 'unknown=1']) {
  test(`a stream of commands with ${query} is refused before it begins`, async (t) => {
    const { url } = await world(t);
    const response = await fetch(`${url}/api/command-events?${query}`, { headers: { authorization: 'Bearer root' } });
    t.is(response.status, 400);
    t.is(response.headers.get('content-type'), 'application/problem+json');
    await response.body?.cancel();
  });
}

test('a page is not read while no command has changed, and not sent while it is the same', async (t) => {
  let version = 1;
  let reads = 0;
  let state = 'sent';
  const gone = new AbortController();
  const page = () => {
    reads++;
    return { commands: [{ key: 'k1', state }] };
  };
  const events = commandPageEvents({ page, version: () => version, signal: gone.signal, intervalMs: 1 });
  t.like(await events.next(), { value: { id: 1 } });
  const next = events.next();
  await new Promise((resolve) => setImmediate(resolve));
  t.is(reads, 1);
  version = 2; // a change of a command that is not on the page
  while (reads < 2) await new Promise((resolve) => setImmediate(resolve));
  state = 'done';
  version = 3;
  t.like(await next, { value: { id: 3, payload: { commands: [{ state: 'done' }] } } });
  gone.abort();
  t.true((await events.next()).done);
});
