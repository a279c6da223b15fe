import test, { type ExecutionContext } from 'ava';
import { commandTypes } from '../../../src/protocol/commands/index.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlane } from '../support/plane.ts';
import { rawAgent } from '../support/raw-agent.ts';
import { fakeAgent } from './support/fake-agent.ts';
import { FakeCluster } from './support/fleet.ts';

const payload = { releaseName: 'web', namespace: 'shop', chartName: 'new' };
const rollout = { id: 'r1', agents: ['victim'], payload, soak: false as const };

async function world(t: ExecutionContext) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true });
  const agentOf = (agentId: string) => rawAgent(made.agentUrl, { agentId, capabilities: [...commandTypes] });
  return { ...made, agentOf };
}

/** Returns a rollout as the API shows it, with its clusters, as text. */
function textOf({ rollouts }: Awaited<ReturnType<typeof world>>['plane'], id: string): string {
  return JSON.stringify([rollouts.get(id), rollouts.clusters(id), rollouts.list()]);
}

test('another agent cannot end, or report about, the command of a cluster', async (t) => {
  const { plane, agentOf } = await world(t);
  const victim = await agentOf('victim');
  const attacker = await agentOf('attacker');
  await plane.rollouts.start(rollout);
  const { key = '' } = await victim.packet('release_history');
  attacker.send('accepted', { durable: true }, key);
  attacker.send('status', { seq: 1, step: 'forged', state: 'done', time: '2026-01-01T00:00:00Z' }, key);
  attacker.send('result', { ok: true, releases: [] }, key);
  // a later result of the same connection was read, so these packets were, too
  const own = plane.send('attacker', { type: 'list_releases', payload: {} });
  await attacker.packet('list_releases');
  attacker.send('result', { ok: true, releases: [] }, own.key);
  await own.result;
  t.like(plane.rollouts.clusters('r1'), [{ agentId: 'victim', stage: 'inspecting' }]);
  t.false(textOf(plane, 'r1').includes('forged'));
});

const absurd = 'x'.repeat(300_000);
const answers: Record<string, unknown> = {
  'revisions that are no numbers': {
    ok: true,
    releases: [{ name: 'web', namespace: 'shop', version: 'NaN', info: {} }],
  },
  'a negative revision': {
    ok: true,
    releases: [{ name: 'web', namespace: 'shop', version: -1e308, info: { status: 'deployed' } }],
  },
  'no revisions': { ok: true },
  'a list': [],
  'a long code and a long message': { ok: false, error: { code: absurd, message: absurd } },
  'a success with an error': { ok: true, error: { code: absurd, message: absurd } },
};
for (const [name, answer] of Object.entries(answers)) {
  test(`a cluster that returns ${name} has failed, and its rollout stays small`, async (t) => {
    const { plane, agentOf } = await world(t);
    const agent = await agentOf('victim');
    await plane.rollouts.start(rollout);
    const { key = '' } = await agent.packet('release_history');
    agent.send('result', answer, key);
    await eventually('the rollout has failed', () => plane.rollouts.get('r1').phase === 'failed');
    t.like(plane.rollouts.get('r1'), { clusters: { failed: 1 } });
    t.true(textOf(plane, 'r1').length < 10_000);
  });
}

test('progress without end does not hold up a rollout, and is not kept in it', async (t) => {
  const { plane, agentOf, agentUrl } = await world(t);
  const agent = await agentOf('victim');
  await fakeAgent(agentUrl, 'other', new FakeCluster());
  await plane.rollouts.start({ ...rollout, agents: ['victim', 'other'], waves: [{}] });
  const { key = '' } = await agent.packet('release_history');
  for (let seq = 1; seq <= 2000; seq++) {
    const time = '2026-01-01T00:00:00Z';
    agent.send('status', { seq, step: `step-${seq}`, state: 'running', time, message: 'x'.repeat(1000) }, key);
  }
  agent.send('status', { seq: Number.MAX_SAFE_INTEGER, step: '__proto__', state: 'done', time: 'never' }, key);
  await eventually('the other cluster is updated', () => plane.rollouts.get('r1').clusters['updated'] === 1);
  const perform = new FakeCluster();
  const answerTo = ({ key: sent = '', type, payload: text = '{}' }: Packet) =>
    agent.send('result', perform.perform(sent, type, JSON.parse(text) as Record<string, unknown>), sent);
  answerTo({ key, type: 'release_history', payload: '{}' });
  answerTo(await agent.packet('install_release'));
  await eventually('the rollout has succeeded', () => plane.rollouts.get('r1').phase === 'succeeded');
  t.true(textOf(plane, 'r1').length < 10_000);
  t.false(textOf(plane, 'r1').includes('step-'));
});
