import test, { type ExecutionContext } from 'ava';
import { type CommandStore, createMemoryStore, type Role, type RolloutView } from '../../../src/control-plane/index.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlane } from '../support/plane.ts';
import { fakeAgent } from './support/fake-agent.ts';
import { FakeCluster } from './support/fleet.ts';

async function world(t: ExecutionContext, count = 3, store: CommandStore = createMemoryStore()) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true, store });
  const { plane, url, agentUrl } = made;
  const clusters = Array.from({ length: count }, () => new FakeCluster());
  for (const [index, cluster] of clusters.entries()) await fakeAgent(agentUrl, `edge-${index}`, cluster);
  const ask = async (token: string, method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...{ method, signal: AbortSignal.timeout(40_000) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as RolloutView & { code?: string } };
  };
  const user = async (roles: Role[]) => {
    const { token } = await plane.tokens.create({ name: 'ci', roles });
    return (method: string, path: string, body?: unknown) => ask(token, method, path, body);
  };
  const ended = (id: string) =>
    eventually(`${id} has ended`, () => !['running', 'reverting'].includes(plane.rollouts.get(id).phase));
  return { ...made, clusters, user, ended, root: ask.bind(undefined, 'root') };
}

const release = { releaseName: 'web', namespace: 'shop', chartName: 'new' };
const rollout = { id: 'r1', agents: ['edge-*'], payload: release, soak: false as const };

test('a rollout over REST updates the clusters, and the same request starts no other one', async (t) => {
  const { root, clusters, ended, plane } = await world(t);
  const { status, body } = await root('POST', '/api/rollouts', rollout);
  t.is(status, 202, JSON.stringify(body));
  t.is(body.startedBy, 'api-token');
  t.is((await root('POST', '/api/rollouts', rollout)).status, 202);
  t.is((await root('POST', '/api/rollouts', { ...rollout, soak: '1m' })).status, 409);
  await ended('r1');
  t.like((await root('GET', '/api/rollouts/r1')).body, { phase: 'succeeded', clusters: { updated: 3 } });
  t.deepEqual(
    clusters.map(({ chart }) => chart),
    ['new', 'new', 'new'],
  );
  t.deepEqual(
    plane.rollouts.clusters('r1').map(({ base, revision }) => [base, revision]),
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  );
  t.is((await root('DELETE', '/api/rollouts/r1')).status, 200);
  t.is((await root('GET', '/api/rollouts/r1')).status, 404);
});

test('a canary that fails stops a rollout, and the events say so', async (t) => {
  const { root, clusters, url, ended } = await world(t);
  for (const cluster of clusters) cluster.outcome = 'not_ready';
  await root('POST', '/api/rollouts', rollout);
  await ended('r1');
  t.deepEqual(clusters.map(({ revisions }) => revisions.length).sort(), [1, 1, 2]);
  const headers = { authorization: 'Bearer root' };
  const events = await fetch(`${url}/api/rollouts/r1/events`, { headers, signal: AbortSignal.timeout(40_000) });
  const reader = (events.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: cluster')) text += (await reader.read()).value ?? '';
  await reader.cancel();
  t.regex(text, /event: rollout\ndata: \{"id":"r1".*"phase":"failed"/);
});

test('pause, resume, approve, abort and retry', async (t) => {
  const { root, ended, plane } = await world(t);
  await root('POST', '/api/rollouts', { ...rollout, approval: true });
  await eventually('wave 2 waits', () => plane.rollouts.get('r1').wave === 2);
  t.is((await root('POST', '/api/rollouts/r1/pause')).body.phase, 'paused');
  t.is((await root('POST', '/api/rollouts/r1/resume')).body.phase, 'running');
  t.is((await root('POST', '/api/rollouts/r1/approve', { wave: 3 })).status, 400);
  t.is((await root('POST', '/api/rollouts/r1/approve', { wave: 2 })).status, 200);
  await eventually('wave 3 waits', () => plane.rollouts.get('r1').wave === 3);
  t.is((await root('POST', '/api/rollouts', { ...rollout, id: 'r2' })).body.code, 'rollout_conflict');
  t.is((await root('DELETE', '/api/rollouts/r1')).status, 409);
  t.is((await root('POST', '/api/rollouts/r1/abort', { undo: true })).status, 200);
  await ended('r1');
  t.like(plane.rollouts.get('r1'), { phase: 'aborted', clusters: { reverted: 2, pending: 1 } });
  t.is((await root('POST', '/api/rollouts/r1/retry')).status, 409);
});

test('a rollout that has ended is not undone beside another one of the release', async (t) => {
  const { root, ended, clusters, plane } = await world(t);
  await root('POST', '/api/rollouts', rollout);
  await ended('r1');
  await root('POST', '/api/rollouts', { ...rollout, id: 'r2', waves: [{ approval: true }] });
  await eventually('wave 1 waits', () => plane.rollouts.get('r2').awaitsApproval);
  t.is((await root('POST', '/api/rollouts/r1/abort', { undo: true })).body.code, 'rollout_conflict');
  t.is(plane.rollouts.get('r1').phase, 'succeeded');
  await root('POST', '/api/rollouts/r2/abort', {});
  t.is((await root('POST', '/api/rollouts/r1/abort', { undo: true })).status, 200);
  await ended('r1');
  t.deepEqual(plane.rollouts.get('r1').clusters, { reverted: 3 });
  t.true(clusters.every(({ chart }) => chart === 'old'));
});

test('a rollout continues when the control plane is restarted', async (t) => {
  const store = createMemoryStore();
  const { root, plane, clusters } = await world(t, 3, store);
  await root('POST', '/api/rollouts', { ...rollout, approval: true });
  await eventually('wave 2 waits', () => plane.rollouts.get('r1').wave === 2);
  await plane.close();
  const second = await testPlane(t, { store });
  for (const [index, cluster] of clusters.entries()) await fakeAgent(second.agentUrl, `edge-${index}`, cluster);
  for (const wave of [2, 3]) {
    await eventually(`wave ${wave} waits`, () => second.plane.rollouts.get('r1').wave === wave);
    await second.plane.rollouts.approve('r1', wave);
  }
  await eventually('it succeeds', () => second.plane.rollouts.get('r1').phase === 'succeeded');
  t.deepEqual(
    clusters.map(({ revisions }) => revisions.length),
    [2, 2, 2],
  );
});

test('users start rollouts over the clusters of their roles, and see no others', async (t) => {
  const { root, user, plane } = await world(t);
  const deploy = ['read', 'deploy'];
  const all = await user([{ rights: deploy, agents: ['edge-*'], namespaces: ['shop'] }]);
  const some = await user([{ rights: deploy, agents: ['edge-0'] }]);
  const reader = await user([{ rights: ['read'], namespaces: ['shop'] }]);
  const elsewhere = await user([{ rights: deploy, namespaces: ['pay'] }]);
  t.is((await elsewhere('POST', '/api/rollouts', rollout)).status, 403);
  t.is((await reader('POST', '/api/rollouts', rollout)).status, 403);
  t.is((await all('POST', '/api/rollouts', { ...rollout, approval: true })).status, 202);
  t.is((await some('POST', '/api/rollouts', rollout)).body.code, 'rollout_conflict', 'the id is taken');
  for (const [ask, shown, changed] of [
    [all, 200, 200],
    [reader, 200, 403],
    [some, 404, 404],
    [elsewhere, 404, 404],
  ] as const) {
    t.is((await ask('GET', '/api/rollouts/r1')).status, shown);
    t.is((await ask('GET', '/api/rollouts/r1/clusters')).status, shown);
    t.is((await ask('POST', '/api/rollouts/r1/pause')).status, changed);
    t.is((await ask('POST', '/api/rollouts/r1/abort', {})).status, changed);
    t.is((await ask('POST', '/api/rollouts/r1/resume')).status === 409, changed === 200);
  }
  t.is(
    (await some('POST', '/api/rollouts', { ...rollout, id: 'r2', payload: { ...release, releaseName: 'db' } })).status,
    202,
  );
  t.deepEqual(
    plane.rollouts.clusters('r2').map(({ agentId }) => agentId),
    ['edge-0'],
    'only the agents that they see',
  );
  t.is((await root('GET', '/api/rollouts')).status, 200);
});

test('rollouts that are not valid are refused, and keep nothing', async (t) => {
  const { root, plane } = await world(t, 1);
  const refused: [unknown, number][] = [
    [{}, 400],
    [[], 400],
    [{ ...rollout, agents: undefined }, 400],
    [{ ...rollout, agents: ['none-*'] }, 400],
    [{ ...rollout, labels: 'site=' + 'a,'.repeat(3000) }, 400],
    [{ ...rollout, id: '../x' }, 400],
    [{ ...rollout, id: 'a/b' }, 400],
    [{ ...rollout, id: 'a'.repeat(64) }, 400],
    [{ ...rollout, id: '__proto__' }, 400],
    [{ ...rollout, type: 'exec_pod' }, 400],
    [{ ...rollout, payload: { ...release, dryRun: true } }, 400],
    [{ ...rollout, payload: { ...release, releaseName: 7 } }, 400],
    [{ ...rollout, payload: { chartName: 'new' } }, 400],
    [{ ...rollout, waves: [{ size: 0 }] }, 400],
    [{ ...rollout, waves: [{ size: '0%' }] }, 400],
    [{ ...rollout, waves: [{ size: '101%' }] }, 400],
    [{ ...rollout, waves: Array.from({ length: 101 }, () => ({ size: 1 })) }, 400],
    [{ ...rollout, concurrency: 0 }, 400],
    [{ ...rollout, maxFailures: -1 }, 400],
    [{ ...rollout, soak: '1000h' }, 400],
    [{ ...rollout, windows: [{ from: '25:00', to: '01:00' }] }, 400],
    [{ ...rollout, unknown: 1 }, 400],
    [{ ...rollout, payload: { ...release, values: 'a'.repeat(2 * 1024 * 1024) } }, 413],
    [{ ...rollout, payload: { ...release, values: 'a'.repeat(9 * 1024 * 1024) } }, 413],
  ];
  for (const [body, status] of refused) {
    t.is((await root('POST', '/api/rollouts', body)).status, status, JSON.stringify(body).slice(0, 200));
  }
  t.deepEqual(plane.rollouts.list(), []);
});

test('no view of a rollout has values or passwords', async (t) => {
  const { root, ended, plane } = await world(t, 1);
  const secret = 'correct-horse';
  const payload = { ...release, values: { password: secret }, password: secret };
  await root('POST', '/api/rollouts', { ...rollout, payload, differences: [{ agents: ['edge-0'], values: secret }] });
  await ended('r1');
  const views = [plane.rollouts.list(), plane.rollouts.get('r1'), plane.rollouts.clusters('r1')];
  t.notRegex(JSON.stringify(views), new RegExp(secret));
});

test('differences for a cluster win over the values of all', async (t) => {
  const { plane, clusters, ended } = await world(t, 2);
  const sent: unknown[] = [];
  for (const cluster of clusters) {
    const perform = cluster.perform.bind(cluster);
    cluster.perform = (key, type, payload) => {
      if (type === 'install_release') sent.push(payload['values']);
      return perform(key, type, payload);
    };
  }
  const differences = [{ agents: ['edge-1'], values: { replicas: 2 } }];
  await plane.rollouts.start({ ...rollout, payload: { ...release, values: 'replicas: 1\n' }, differences });
  await ended('r1');
  t.deepEqual(sent, [['replicas: 1\n'], ['replicas: 1\n', '{"replicas":2}']]);
});

test('plans are made, listed and approved over REST, and the events say that they wait', async (t) => {
  const { root, user, clusters, ended, plane } = await world(t);
  const [first] = clusters;
  if (first) first.differing = 'other';
  const reader = await user([{ rights: ['read'] }]);
  t.is((await root('POST', '/api/rollouts', { ...rollout, plan: true })).status, 202);
  await eventually('plans wait', () => plane.rollouts.get('r1').awaitsApproval);
  t.true(clusters.every(({ chart }) => chart === 'old'));
  const { groups } = (await reader('GET', '/api/rollouts/r1/plans')).body as unknown as {
    groups: { id: string; clusters: number; changes: { differences: object[] } }[];
  };
  t.deepEqual(groups.map((group) => [group.clusters, group.changes.differences.length]).sort(), [
    [1, 1],
    [2, 1],
  ]);
  const ids = groups.map(({ id }) => id);
  t.is((await reader('POST', '/api/rollouts/r1/approve', { groups: ids })).status, 403);
  t.is((await root('POST', '/api/rollouts/r1/approve', { groups: ['x'] })).status, 400);
  t.is((await root('POST', '/api/rollouts/r1/approve', { groups: ids, wave: 1 })).status, 400);
  t.is((await root('POST', '/api/rollouts/r1/approve', { groups: ids })).status, 200);
  t.is((await root('POST', '/api/rollouts/r1/approve', { groups: ids })).status, 200, 'a replay changes nothing');
  await ended('r1');
  t.like(plane.rollouts.get('r1'), { phase: 'succeeded', clusters: { updated: 3 } });
  t.true(plane.rollouts.plans('r1').every(({ approvedBy }) => approvedBy === 'api-token'));
});

test('plans and their approvals outlive a restart of the control plane', async (t) => {
  const store = createMemoryStore();
  const { root, plane, clusters } = await world(t, 3, store);
  await root('POST', '/api/rollouts', { ...rollout, plan: true, approval: true });
  await eventually('plans wait', () => plane.rollouts.get('r1').awaitsApproval);
  const ids = plane.rollouts.plans('r1').map(({ id }) => id);
  await plane.rollouts.approvePlans('r1', ids);
  await eventually('wave 2 waits', () => plane.rollouts.get('r1').wave === 2);
  await plane.close();
  const second = await testPlane(t, { store });
  for (const [index, cluster] of clusters.entries()) await fakeAgent(second.agentUrl, `edge-${index}`, cluster);
  t.deepEqual(
    second.plane.rollouts.plans('r1').map(({ id, approvedBy }) => [id, approvedBy]),
    ids.map((id) => [id, 'application']),
  );
  for (const wave of [2, 3]) {
    await eventually(`wave ${wave} waits`, () => second.plane.rollouts.get('r1').wave === wave);
    await second.plane.rollouts.approve('r1', wave);
  }
  await eventually('it succeeds', () => second.plane.rollouts.get('r1').phase === 'succeeded');
  const made = clusters.map(({ results }) => [...results.values()].filter((result) => 'digest' in result).length);
  t.deepEqual(made, [1, 1, 1], 'no plan was made again');
});

test('a rollout with a Job needs the right to run it', async (t) => {
  const { user, clusters, plane, ended } = await world(t, 1);
  const asked = { ...rollout, job: 'smoke' };
  const deployer = await user([{ rights: ['read', 'deploy'] }]);
  t.is((await deployer('POST', '/api/rollouts', asked)).body.code, 'forbidden');
  const operator = await user([{ rights: ['read', 'deploy', 'act'], namespaces: ['shop'] }]);
  t.is((await operator('POST', '/api/rollouts', asked)).status, 202);
  await ended('r1');
  t.like(plane.rollouts.get('r1'), { phase: 'succeeded', clusters: { updated: 1 } });
  t.deepEqual(clusters[0]?.jobs, ['smoke']);
});

test('an upgrade of agents cannot be planned', async (t) => {
  const { root } = await world(t, 1);
  const { status } = await root('POST', '/api/rollouts', {
    ...rollout,
    type: 'upgrade_agent',
    plan: true,
    payload: {},
  });
  t.is(status, 400);
});
