import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext, type Macro } from 'ava';
import { ControlPlane, createSqliteStore } from '../../../src/control-plane/index.ts';
import { eventually } from '../../support/eventually.ts';
import { heldStore } from '../support/failing-store.ts';
import { temporaryFile } from '../support/file.ts';
import { newKey, prove } from '../support/keyed-agent.ts';
import { testPlane } from '../support/plane.ts';

async function api(t: ExecutionContext) {
  const { plane, url, lines } = await testPlane(t);
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/agents/${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { plane, ask, lines };
}

test('an agent is invited, listed, and revoked', async (t) => {
  const { ask, lines } = await api(t);
  const { status, body } = await ask('POST', 'edge-1/enrolment', { labels: { site: 'a' }, expiresIn: '10m' });
  t.is(status, 201);
  const { token, expiresAt, ...rest } = body;
  t.deepEqual(rest, { agentId: 'edge-1', replacesKey: false });
  const left = Date.parse(String(expiresAt)) - Date.now();
  t.true(left > 9 * 60_000 && left <= 10 * 60_000);
  t.false(lines.join('').includes(String(token)));
  const known = { agentId: 'edge-1', connected: false, lastSeen: null };
  t.deepEqual((await ask('GET', 'edge-1')).body, {
    ...known,
    enrolment: { states: ['invited'], labels: { site: 'a' } },
  });
  t.is((await ask('POST', 'edge-1/accept')).status, 404);
  t.is((await ask('DELETE', 'edge-1/enrolment')).status, 200);
  t.is((await ask('GET', 'edge-1')).status, 404);
  t.is((await ask('DELETE', 'edge-1/enrolment')).status, 404);
});

const refuses: Macro<[id: string, body: unknown, message: RegExp]> = test.macro({
  title: (name) => `an invitation is refused: ${name ?? ''}`,
  async exec(t, id, body, message) {
    const { ask } = await api(t);
    const { status, body: answer } = await ask('POST', `${id}/enrolment`, body);
    t.is(status, 400);
    t.regex(JSON.stringify(answer), message);
  },
});
test('an id that is not allowed', refuses, '%0A', {}, /agentId must be at most 253 letters/);
test('a long id', refuses, 'a'.repeat(5000), {}, /agentId must be at most/);
test('a time without a unit', refuses, 'a', { expiresIn: '10' }, /expiresIn must be a duration/);
test('a time of more than a week', refuses, 'a', { expiresIn: '169h' }, /at most 168h/);
test('a time in the past', refuses, 'a', { expiresIn: -1 }, /expiresIn must be a duration/);
test('labels that Kubernetes does not allow', refuses, 'a', { labels: { 'a b': '' } }, /labels/);
test('a value of a label with a line break', refuses, 'a', { labels: { a: 'x\ny' } }, /labels\.a must be the value/);
const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`l${index}`, '']));
test('too many labels', refuses, 'a', { labels: many }, /must have at most 64 fields/);
test('a body that is not an object', refuses, 'a', [], /the body/);

test('invitations survive a restart, and are not given before they are stored', async (t) => {
  const file = await temporaryFile(t);
  const first = await testPlane(t, { store: createSqliteStore(file) });
  await first.plane.createEnrolment({ agentId: 'edge-1' });
  await first.plane.close();
  const second = await testPlane(t, { store: createSqliteStore(file) });
  t.deepEqual(
    second.plane.knownAgents().map(({ enrolment }) => enrolment?.states),
    [['invited']],
  );
  await second.plane.revokeAgent('edge-1');
  await second.plane.close();
  const third = await testPlane(t, { store: createSqliteStore(file) });
  t.deepEqual(third.plane.knownAgents(), []);

  const { store, hold, release } = heldStore();
  const plane = new ControlPlane({ store });
  t.teardown(() => plane.close());
  await plane.listen(0);
  await plane.createEnrolment({ agentId: 'edge-0' });
  hold();
  let isGiven = false;
  const given = plane.createEnrolment({ agentId: 'edge-1' }).then(() => (isGiven = true));
  await new Promise((resolve) => setImmediate(resolve));
  t.false(isGiven);
  release();
  await given;
  await eventually('it is stored', () => isGiven);
});

/** Waits until a request has arrived that waits for the store. */
const arrived = () => setTimeout(200);

/** A control plane whose writes can be held, and kim, who manages the agents with `site=a`. */
async function heldApi(t: ExecutionContext) {
  const { store, hold, release } = heldStore();
  const { plane, url, agentUrl } = await testPlane(t, { store, apiToken: 'root' });
  t.teardown(release);
  const kim = await plane.tokens.create({ name: 'kim', roles: [{ rights: ['admin'], labels: 'site=a' }] });
  const ask = async (token: string, method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/agents/${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** Begins a write that ends with `release`. */
  const holdWrite = async () => {
    await ask(kim.token, 'GET', ''); // later requests take less time
    hold();
    void plane.createEnrolment({ agentId: 'other' });
    await arrived();
  };
  return { plane, agentUrl, kim, ask, holdWrite, release };
}

test('an agent is invited by one of two users who wait until they can store that, and not by who may not', async (t) => {
  const { plane, kim, ask, holdWrite, release } = await heldApi(t);
  await holdWrite();
  const root = ask('root', 'POST', 'core-9/enrolment', { labels: { site: 'b' } });
  await arrived();
  const other = ask(kim.token, 'POST', 'core-9/enrolment', { labels: { site: 'a' } });
  await arrived();
  release();
  t.is((await root).status, 201);
  t.like(await other, { status: 404, body: { code: 'agent_not_found' } });
  t.deepEqual(plane.knownAgents().find(({ agentId }) => agentId === 'core-9')?.enrolment, {
    states: ['invited'],
    labels: { site: 'b' },
  });
});

const waits: Macro<[method: string, path: string, body?: object]> = test.macro({
  title: (name = '') => `a user whose token is revoked while the request waits for the store ${name}`,
  async exec(t, method, path, body) {
    const { plane, agentUrl, kim, ask, holdWrite, release } = await heldApi(t);
    const { token: enrolmentToken } = await plane.createEnrolment({
      ...{ agentId: 'edge-1', labels: { site: 'a' }, needsConsent: true },
    });
    t.is((await prove(agentUrl, newKey(), { enrolmentToken })).reply.type, 'pending');
    const before = plane.knownAgents();
    await holdWrite();
    const response = ask(kim.token, method, path, body);
    await arrived();
    const revoked = plane.tokens.revoke(kim.id);
    release();
    const { status, body: answer } = await response;
    t.like({ status, ...answer }, { status: 404, detail: 'no agent with this id is known' });
    await revoked;
    t.deepEqual(
      plane.knownAgents().filter(({ agentId }) => agentId === 'edge-1'),
      before,
    );
  },
});
test('invites no agent', waits, 'POST', 'edge-1/enrolment', { labels: { site: 'a' } });
test('accepts no agent', waits, 'POST', 'edge-1/accept');
test('forgets no agent', waits, 'DELETE', 'edge-1');
