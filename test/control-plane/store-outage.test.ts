import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext, type Macro } from 'ava';
import type { AuditEntry } from '../../src/control-plane/audit/audit-entry.ts';
import type { CommandStore } from '../../src/control-plane/index.ts';
import { eventually } from '../support/eventually.ts';
import { changeableFile, signInWorld } from './sign-in/support/signed-in.ts';
import { failingStore, heldStore } from './support/failing-store.ts';
import { newKey, prove } from './support/keyed-agent.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const kim = { name: 'kim@example.com', groups: ['platform'] };
const token = { name: 'ci', roles: [{ rights: ['read'] }] };
const webhook = { url: 'https://receiver.example/', events: ['command.ended'] };
const release = { releaseName: 'web', chartName: 'c' };
const capabilities = ['install_release', 'upgrade_release', 'release_history'];
const rollout = { id: 'r', agents: ['edge-*'], payload: release };

/** A control plane whose store can fail, and a function that sends requests to it. */
async function outage(t: ExecutionContext) {
  const { store, fail } = failingStore();
  const signIn = changeableFile({ issuer: 'https://login.example' });
  const entries: AuditEntry[] = [];
  const audit = (entry: AuditEntry) => entries.push(entry);
  const world = await testPlane(t, { store, signIn, apiToken: 'root', insecure: true, audit });
  const { sessions } = world.plane;
  if (!sessions) throw new Error('people cannot sign in');
  t.teardown(() => fail(false));
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${world.url}${path}`, {
      ...{ method, headers: { authorization: 'Bearer root', 'content-type': 'application/json' } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const begin = () => fail(true);
  const end = async () => {
    fail(false);
    await eventually('the store works again', async () => (await fetch(`${world.url}/readyz`)).ok);
  };
  /** Returns the decisions and outcomes that the audit log has about an action. */
  const audited = (action: string) =>
    entries.filter((entry) => entry.action === action).map(({ decision, outcome }) => `${decision} ${outcome}`);
  return { ...world, store, sessions, ask, begin, end, audited };
}

/** Returns the entries of a collection that a store has. */
async function entriesOf(store: CommandStore, collection: string) {
  const { entries = [] } = await store.open();
  return entries.filter((entry) => entry.collection === collection);
}

const unavailable = { status: 503, body: { code: 'store_unavailable' } };

const creates: Macro<[path: string, body: object, collection: string]> = test.macro({
  title: (name = '') => `${name} that cannot be stored fails, and does not exist later`,
  async exec(t, path, body, collection) {
    const { ask, begin, end, store, plane, audited } = await outage(t);
    await plane.createEnrolment({ agentId: 'edge-1' });
    begin();
    t.like(await ask('POST', path, body), unavailable, 'when the write fails');
    t.like(await ask('POST', path, body), unavailable, 'when it is known that the store fails');
    t.deepEqual(Object.values((await ask('GET', path)).body), [[]]);
    await end();
    t.deepEqual(await entriesOf(store, collection), []);
    t.true((await ask('POST', path, body)).status < 300);
    t.is((await entriesOf(store, collection)).length, 1);
    t.deepEqual(audited(`POST ${path}`).slice(0, 2), ['refused store_unavailable', 'refused store_unavailable']);
  },
});
test('a token', creates, '/api/tokens', token, 'user-token');
test('a webhook', creates, '/api/webhooks', webhook, 'webhook');
test('a rollout', creates, '/api/rollouts', rollout, 'rollout');

test('an invitation that cannot be stored fails, and does not exist later', async (t) => {
  const { ask, begin, end, store, plane } = await outage(t);
  begin();
  t.like(await ask('POST', '/api/agents/edge-1/enrolment', {}), unavailable);
  t.like(await ask('POST', '/api/agents/edge-1/enrolment', {}), unavailable);
  await end();
  t.deepEqual(plane.knownAgents(), []);
  t.deepEqual(await entriesOf(store, 'enrolment'), []);
});

test('an invitation stays valid if another one is refused because the store is known to fail', async (t) => {
  const { agentUrl, ask, begin, end, plane } = await outage(t);
  const { token: enrolmentToken } = await plane.createEnrolment({ agentId: 'edge-1' });
  begin();
  t.like(await ask('POST', '/api/agents/edge-2/enrolment', {}), unavailable);
  t.like(await ask('POST', '/api/agents/edge-1/enrolment', {}), unavailable);
  await end();
  t.is((await prove(agentUrl, newKey(), { enrolmentToken })).reply.type, 'proved');
});

test('a token that is not stored in time fails, and does not exist later', async (t) => {
  const { store, hold, release } = heldStore();
  const { plane } = await testPlane(t, { store, limits: { storeWaitMs: 50 } });
  t.teardown(release);
  const kept = await plane.tokens.create(token);
  hold();
  await t.throwsAsync(plane.tokens.create(token), { code: 'store_unavailable' });
  t.deepEqual(
    plane.tokens.list().map(({ id }) => id),
    [kept.id],
  );
  release();
  await eventually('it is deleted', async () => (await entriesOf(store, 'user-token')).length === 1);
  t.is(plane.tokens.find(kept.token)?.name, 'ci');
});

const ended: Macro<[path: string, body?: object]> = test.macro({
  title: (name = '') => `an administrator whose token is revoked while the request waits for the store ${name}`,
  async exec(t, path, body) {
    const { store, hold, release } = heldStore();
    const { plane, url } = await testPlane(t, { store, apiToken: 'root' });
    t.teardown(release);
    const administrator = await plane.tokens.create({ name: 'kim', roles: [{ rights: ['admin'] }] });
    const ask = async (to: string, content: object = {}) =>
      await fetch(`${url}${to}`, {
        ...{ method: 'POST', body: JSON.stringify(content) },
        headers: { authorization: `Bearer ${administrator.token}`, 'content-type': 'application/json' },
      });
    const { id } = (await (await ask('/api/webhooks', webhook)).json()) as { id: string };
    hold();
    void plane.createEnrolment({ agentId: 'other' });
    await sleep(50);
    const before = await entriesOf(store, 'webhook');
    const response = ask(path.replace('ID', id), body);
    await sleep(200);
    const revoked = plane.tokens.revoke(administrator.id);
    release();
    t.is((await response).status, 403);
    await revoked;
    t.deepEqual(await entriesOf(store, 'user-token'), []);
    t.deepEqual(await entriesOf(store, 'webhook'), before);
  },
});
test('gets no token', ended, '/api/tokens', token);
test('gets no webhook', ended, '/api/webhooks', webhook);
test('gets no secret of a webhook', ended, '/api/webhooks/ID/rotate');
test('enables no webhook', ended, '/api/webhooks/ID/enable');

const revokes: Macro<[create: (world: Awaited<ReturnType<typeof outage>>) => Promise<string>, collection: string]> =
  test.macro({
    title: (name = '') => `${name} whose end cannot be stored has ended, and the request fails until that is stored`,
    async exec(t, create, collection) {
      const world = await outage(t);
      const { ask, begin, end, store, audited } = world;
      const path = await create(world);
      t.is((await entriesOf(store, collection)).length, 1);
      begin();
      t.like(await ask('DELETE', path), unavailable, 'when the write fails');
      t.like(await ask('DELETE', path), unavailable, 'when it is asked for again');
      await end();
      t.deepEqual(await entriesOf(store, collection), [], 'it is stored later');
      t.is((await ask('DELETE', path)).status, 404);
      t.deepEqual(audited(`DELETE ${path}`).slice(0, 2), ['allowed store_unavailable', 'refused store_unavailable']);
    },
  });
test(
  'a token',
  revokes,
  async ({ plane }) => {
    const { id } = await plane.tokens.create(token);
    return `/api/tokens/${id}`;
  },
  'user-token',
);
test(
  'a session',
  revokes,
  async ({ sessions }) => `/api/sessions/${(await sessions.create(kim, 'ctl')).id}`,
  'user-session',
);
test(
  'an invitation',
  revokes,
  async ({ plane }) => {
    await plane.createEnrolment({ agentId: 'edge-1' });
    return '/api/agents/edge-1/enrolment';
  },
  'enrolment',
);
test(
  'the key of an agent',
  revokes,
  async ({ plane, agentUrl }) => {
    const { token: enrolmentToken } = await plane.createEnrolment({ agentId: 'edge-1' });
    await prove(agentUrl, newKey(), { enrolmentToken });
    return '/api/agents/edge-1/enrolment';
  },
  'agent-key',
);
test(
  'a webhook',
  revokes,
  async ({ ask }) => `/api/webhooks/${String((await ask('POST', '/api/webhooks', webhook)).body['id'])}`,
  'webhook',
);

test(
  'a rollout',
  revokes,
  async ({ plane, url }) => {
    await plane.createEnrolment({ agentId: 'edge-1' });
    await plane.rollouts.start(rollout);
    await plane.rollouts.abort('r');
    await eventually('its end is stored', async () => {
      const log = await fetch(`${url}/api/audit`, { headers: { authorization: 'Bearer root' } });
      return (await log.text()).includes('"aborted"');
    });
    return '/api/rollouts/r';
  },
  'rollout',
);

test('the audit log has what an application has ended although that cannot be stored yet', async (t) => {
  const { plane, agentUrl, begin, end, audited } = await outage(t);
  const agent = await rawAgent(agentUrl);
  agent.socket.close();
  await eventually('the agent is away', () => plane.agents().length === 0);
  await plane.createEnrolment({ agentId: 'edge-2' });
  begin();
  await t.throwsAsync(plane.revokeAgent('edge-2'), { code: 'store_unavailable' });
  await t.throwsAsync(plane.revokeAgent('edge-2'), { code: 'store_unavailable' });
  await t.throwsAsync(plane.forgetAgent('edge-1'), { code: 'store_unavailable' });
  await end();
  begin();
  await t.throwsAsync(plane.forgetAgent('edge-1'), { code: 'store_unavailable' });
  await end();
  t.deepEqual(audited('revokeAgent'), ['allowed store_unavailable']);
  t.deepEqual(audited('forgetAgent'), ['allowed store_unavailable']);
});

test('a token, a session and a key that are revoked while the store fails are refused at once', async (t) => {
  const { plane, sessions, agentUrl, begin } = await outage(t);
  const created = await plane.tokens.create(token);
  const session = await sessions.create(kim, 'ctl');
  const { token: enrolmentToken } = await plane.createEnrolment({ agentId: 'edge-1' });
  const key = newKey();
  await prove(agentUrl, key, { enrolmentToken });
  begin();
  await t.throwsAsync(plane.tokens.revoke(created.id), { code: 'store_unavailable' });
  await t.throwsAsync(sessions.revoke(session.id), { code: 'store_unavailable' });
  await t.throwsAsync(plane.revokeAgent('edge-1'), { code: 'store_unavailable' });
  t.is(plane.tokens.find(created.token), undefined);
  t.is(sessions.find(session.secret, 'ctl'), undefined);
  t.is((await prove(agentUrl, key)).reply.type, 'closed');
});

test('a session that cannot be stored fails, and does not exist later', async (t) => {
  const { sessions, begin, end, store } = await outage(t);
  begin();
  await t.throwsAsync(sessions.create(kim, 'browser'), { code: 'store_unavailable' });
  await t.throwsAsync(sessions.create(kim, 'browser'), { code: 'store_unavailable' });
  t.deepEqual(sessions.list(), []);
  await end();
  t.deepEqual(await entriesOf(store, 'user-session'), []);
});

test('a page says that a person cannot sign in while the store fails', async (t) => {
  const { store, fail } = failingStore();
  const { plane, person, signInWith } = await signInWorld(t, {}, { store });
  t.teardown(() => fail(false));
  const { client } = await person();
  fail(true);
  const response = await signInWith(client);
  t.is(response.status, 503);
  t.regex(await response.text(), /could not store the change|cannot store changes/);
  t.deepEqual(plane.sessions?.list(), [], 'the session of before has ended');
});

test('an agent whose consent cannot be stored still waits, and is let in later', async (t) => {
  const { plane, agentUrl, begin, end, ask, store } = await outage(t);
  const { token: enrolmentToken } = await plane.createEnrolment({ agentId: 'edge-1', needsConsent: true });
  const agent = await prove(agentUrl, newKey(), { enrolmentToken });
  t.is(agent.reply.type, 'pending');
  begin();
  t.like(await ask('POST', '/api/agents/edge-1/accept'), unavailable);
  t.like(await ask('POST', '/api/agents/edge-1/accept'), unavailable);
  await end();
  t.deepEqual(plane.knownAgents()[0]?.enrolment, { states: ['pending'] });
  t.deepEqual(await entriesOf(store, 'agent-key'), []);
  t.is((await ask('POST', '/api/agents/edge-1/accept')).status, 200);
  t.is((await agent.next()).type, 'proved');
});

test('a secret of a webhook that cannot be stored does not replace the one before', async (t) => {
  const { ask, begin, end, store } = await outage(t);
  const { body } = await ask('POST', '/api/webhooks', webhook);
  const before = await entriesOf(store, 'webhook');
  begin();
  t.like(await ask('POST', `/api/webhooks/${String(body['id'])}/rotate`), unavailable);
  await end();
  t.deepEqual(await entriesOf(store, 'webhook'), before);
});

test('results that cannot be marked as delivered are acknowledged later', async (t) => {
  const { plane, agentUrl, ask, begin, end } = await outage(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', release);
  await agent.packet('install_release');
  agent.send('result', installed, command.key);
  await command.result;
  begin();
  t.like(await ask('POST', '/api/results/ack', { upTo: 1 }), unavailable);
  await end();
  t.deepEqual(await ask('POST', '/api/results/ack', { upTo: 1 }), { status: 200, body: { upTo: 1 } });
});

test('a rollout that is refused sends nothing, and one that runs is not changed while the store is known to fail', async (t) => {
  const { plane, agentUrl, ask, begin, end } = await outage(t);
  const agent = await rawAgent(agentUrl, { capabilities });
  t.is((await ask('POST', '/api/rollouts', rollout)).status, 202);
  await agent.packet('release_history');
  begin();
  const other = { ...rollout, id: 'other', payload: { ...release, releaseName: 'other' } };
  t.like(await ask('POST', '/api/rollouts', other), unavailable);
  t.like(await ask('POST', '/api/rollouts/r/pause'), unavailable);
  t.like(await ask('POST', '/api/rollouts', rollout), unavailable, 'nothing says that it is stored');
  await end();
  t.is(plane.rollouts.get('r').phase, 'running');
  t.is((await ask('POST', '/api/rollouts/r/pause')).status, 200);
  const types = agent.packets.map(({ type }) => type);
  t.deepEqual(
    types.filter((type) => type !== 'welcome'),
    ['release_history'],
  );
});

test('a decision about a rollout whose own write is the first that fails counts when it is stored', async (t) => {
  const { plane, agentUrl, ask, begin, end, audited } = await outage(t);
  await plane.createEnrolment({ agentId: 'edge-1' });
  t.is((await ask('POST', '/api/rollouts', rollout)).status, 202);
  t.is((await ask('POST', '/api/rollouts/r/pause')).status, 200);
  const agent = await rawAgent(agentUrl, { capabilities });
  await agent.packet('welcome');
  await plane.createEnrolment({ agentId: 'edge-2' }); // all is stored so far
  begin();
  t.like(await ask('POST', '/api/rollouts/r/resume'), unavailable);
  t.like(await ask('POST', '/api/rollouts/r/pause'), unavailable);
  await end();
  t.deepEqual(audited('POST /api/rollouts/r/resume'), ['allowed store_unavailable']);
  t.deepEqual(audited('POST /api/rollouts/r/pause'), ['allowed ok', 'refused store_unavailable']);
  await agent.packet('release_history');
  t.is(plane.rollouts.get('r').phase, 'running');
});

test('a rollout that is not stored in time is confirmed to no one, and is not begun', async (t) => {
  const { store, hold, release } = heldStore();
  const entries: AuditEntry[] = [];
  const audit = (entry: AuditEntry) => entries.push(entry);
  const { plane, agentUrl } = await testPlane(t, { store, audit, limits: { storeWaitMs: 1000 } });
  t.teardown(release);
  const agent = await rawAgent(agentUrl, { capabilities });
  await agent.packet('welcome');
  hold();
  const started = t.throwsAsync(plane.rollouts.start(rollout), { code: 'store_unavailable' });
  await sleep(500);
  const others = [plane.rollouts.start(rollout), plane.rollouts.pause('r')].map((request) =>
    t.throwsAsync(request, { code: 'store_unavailable' }),
  );
  await sleep(100);
  const stages = plane.rollouts.clusters('r').map(({ stage }) => stage);
  await started;
  release(); // the others still wait
  await Promise.all(others);
  t.deepEqual(stages, ['pending']);
  t.deepEqual(plane.rollouts.list(), []);
  await eventually('it is deleted', async () => (await entriesOf(store, 'rollout')).length === 0);
  await plane.rollouts.start(rollout);
  await agent.packet('release_history');
  t.deepEqual(
    entries.filter(({ action }) => action === 'rollout changed').map(({ phase }) => phase),
    ['running'],
    'the log has only the rollout that exists',
  );
});

test('the audit log has that a rollout is deleted although that cannot be stored yet', async (t) => {
  const { plane, ask, begin, end, audited } = await outage(t);
  await plane.createEnrolment({ agentId: 'edge-1' });
  await plane.rollouts.start(rollout);
  await plane.rollouts.abort('r');
  await sleep(100); // its consequences are stored, too
  begin();
  t.like(await ask('DELETE', '/api/rollouts/r'), unavailable);
  t.deepEqual(plane.rollouts.list(), []);
  await end();
  t.deepEqual(audited('DELETE /api/rollouts/r'), ['allowed store_unavailable']);
});
