import test from 'ava';
import { commandPage, type CommandQuery, commandQuerySchema } from '../../src/control-plane/command-list.ts';
import { readQuery } from '../../src/control-plane/http-json.ts';
import type { CommandRecord } from '../../src/control-plane/index.ts';
import { testPlane } from './support/plane.ts';
import { rawAgent } from './support/raw-agent.ts';

function records(count: number, changes: (index: number) => Partial<CommandRecord> = () => ({})): CommandRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{
      key: `k${count - index}`,
      agentId: 'edge-1',
      type: 'install_release',
      fingerprint: '',
      state: 'done' as const,
    },
    ...{ isDurable: false, isConnected: true, lastEvent: 0, lastStatus: 0, lastEvidence: 0, bytes: 0 },
    createdAt: 1_000_000 - Math.floor(index / 3),
    ...changes(index),
  }));
}

/** Returns the keys of all pages, each with the number of its commands. */
function allPages(all: readonly CommandRecord[], query: Partial<CommandQuery>, isSeen = (_: CommandRecord) => true) {
  const keys: string[] = [];
  const lengths: number[] = [];
  for (let cursor: string | undefined; ;) {
    const { commands, next } = commandPage(all, { limit: 100, ...query, ...(cursor && { cursor }) }, isSeen);
    keys.push(...commands.map((command) => (command as CommandRecord).key));
    lengths.push(commands.length);
    if (next === undefined) return { keys, lengths };
    cursor = next;
  }
}

test('pages have each command once, the newest first', (t) => {
  const all = records(250);
  const { keys, lengths } = allPages(all, {});
  t.deepEqual(
    keys,
    all.map(({ key }) => key),
  );
  t.deepEqual(lengths, [100, 100, 50]);
  t.deepEqual(allPages(records(100), {}).lengths, [100]);
  t.deepEqual(allPages([], {}).lengths, [0]);
});

test('a page continues when commands were added and forgotten meanwhile', (t) => {
  const all = records(9);
  const { next = '' } = commandPage(all, { limit: 4 }, () => true);
  const keysAfter = (list: CommandRecord[]) =>
    commandPage(list, { limit: 100, cursor: next }, () => true).commands.map((each) => (each as CommandRecord).key);
  t.deepEqual(keysAfter([...records(2, () => ({ createdAt: 2_000_000 })), ...all]), ['k5', 'k4', 'k3', 'k2', 'k1']);
  t.deepEqual(keysAfter(all.filter(({ key }) => key !== 'k6')), ['k5', 'k4', 'k3', 'k2', 'k1']);
  t.deepEqual(keysAfter([]), []);
});

test('commands that a user may not see are left out, and cursors do not have their keys', (t) => {
  const all = records(30_000, (index) => ({ key: `secret-${index}` }));
  const start = performance.now();
  const { commands, next = '' } = commandPage(all, { limit: 100 }, ({ key }) => key === 'secret-20001');
  t.true(performance.now() - start < 1000);
  t.deepEqual(commands, []);
  t.false(next.includes('secret') || Buffer.from(next, 'base64url').toString().includes('secret'));
  t.deepEqual(
    allPages(all, {}, ({ key }) => key === 'secret-20001'),
    { keys: ['secret-20001'], lengths: [0, 0, 1] },
  );
});

test('commands are selected by their fields', (t) => {
  const all = records(6, (index) =>
    index === 0
      ? {
          agentId: 'a',
          namespace: 'n',
          releaseName: 'r',
          sentBy: 's',
          state: 'sent',
          createdAt: Date.parse('2030-01-01'),
        }
      : {},
  );
  for (const query of [
    { agent: 'a' },
    { namespace: 'n' },
    { release: 'r' },
    { sender: 's' },
    { state: 'sent' },
  ] as const) {
    t.deepEqual(allPages(all, query).keys, ['k6']);
  }
  t.deepEqual(allPages(all, { since: '2029-12-31T00:00:00Z' }).keys, ['k6']);
  t.deepEqual(allPages(all, { agent: 'b' }).keys, []);
});

test('commands are selected by how they have ended, and say it', (t) => {
  const outcomes = ['failed', 'succeeded', undefined] as const;
  const all = records(3, (index) => ({ end: { number: index, at: 0, isDelivered: false, outcome: outcomes[index] } }));
  t.deepEqual(allPages(all, { outcome: 'failed' }).keys, ['k3']);
  t.deepEqual(allPages(all, { outcome: 'succeeded' }).keys, ['k2']);
  const { commands } = commandPage(all, { limit: 3 }, () => true);
  t.deepEqual(
    commands.map((command) => (command as { outcome?: string }).outcome),
    [...outcomes],
  );
});

test('commands are found by type, and those that change nothing can be left out', (t) => {
  const types = ['install_release', 'list_releases', 'cancel_command', 'restart_workload', 'not_known'];
  const all = records(5, (index) => ({ type: types[index]! }));
  t.deepEqual(allPages(all, { type: 'list_releases' }).keys, ['k4']);
  t.deepEqual(allPages(all, readQuery(commandQuerySchema, '/api/commands?reads=false')).keys, ['k5', 'k2', 'k1']);
  t.is(allPages(all, readQuery(commandQuerySchema, '/api/commands?reads=true')).keys.length, 5);
});

test('commands of rollouts can be left out', (t) => {
  const all = records(2, (index) => ({ key: ['rollout/web/1', 'web'][index]! }));
  t.deepEqual(allPages(all, { rollouts: 'false' }).keys, ['web']);
  t.deepEqual(allPages(all, { rollouts: 'true' }).keys, ['rollout/web/1', 'web']);
});

test('commands that have ended can be left out, also if there are more of them than one request looks at', (t) => {
  const all = records(20_001, (index) => ({ state: index % 10_000 === 0 ? 'accepted' : 'done' }));
  t.deepEqual(allPages(all, { ended: 'false' }), { keys: ['k20001', 'k10001', 'k1'], lengths: [3] });
  t.deepEqual(allPages(all, { ended: 'false', limit: 2 }).lengths, [2, 1]);
  t.is(allPages(all, { ended: 'true' }).keys.length, 20_001);
});

test('a query that is wrong is refused', (t) => {
  t.like(readQuery(commandQuerySchema, '/api/commands?agent=a&since=2026-01-01T00:00:00%2B02:00&limit=5'), {
    agent: 'a',
    limit: 5,
  });
  const wrong = [
    'state=x',
    'since=now',
    'outcome=x',
    'limit=0',
    'limit=1001',
    'limit=x',
    'reads=x',
    'rollouts=x',
    'ended=x',
    'other=1',
    `agent=${'a'.repeat(254)}`,
  ];
  for (const query of wrong)
    t.throws(() => readQuery(commandQuerySchema, `/api/commands?${query}`), { code: 'bad_request' }, query);
  for (const cursor of ['x', '1-x', `${'9'.repeat(40)}-${'a'.repeat(22)}`]) {
    t.throws(() => commandPage([], { limit: 1, cursor }, () => true), { code: 'bad_request' }, cursor);
  }
});

test('a question mark in a query does not cut off the rest', (t) => {
  t.like(readQuery(commandQuerySchema, '/api/commands?sender=x?&agent=edge-1'), { sender: 'x?', agent: 'edge-1' });
  t.throws(() => readQuery(commandQuerySchema, '/api/commands?sender=x?&other=1'), { code: 'bad_request' });
});

test('commands are listed over HTTP, and a key in a header names one', async (t) => {
  const { url, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const send = async (headers: Record<string, string>, more: object = {}) => {
    const body = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c' }, ...more };
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`${url}/api/agents/edge-1/commands`, { ...init, body: JSON.stringify(body) });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: (await response.json()) as object,
    };
  };
  t.like((await send({ 'idempotency-key': '"one"' })).body, { key: 'one' });
  t.like((await send({ 'idempotency-key': 'one' })).body, { key: 'one' });
  t.like((await send({ 'idempotency-key': 'two' }, { key: 'two' })).body, { key: 'two' });
  const error = { code: 'key_reused', message: 'the key one already names another command' };
  t.deepEqual(await send({ 'idempotency-key': 'one' }, { payload: { releaseName: 'x', chartName: 'c' } }), {
    status: 409,
    type: 'application/problem+json',
    body: { type: 'about:blank', title: 'Conflict', status: 409, detail: error.message, code: error.code, error },
  });
  for (const headers of [{ 'idempotency-key': 'a'.repeat(257) }, { 'idempotency-key': '' }]) {
    t.is((await send(headers)).status, 400);
  }
  t.is((await send({ 'idempotency-key': 'one' }, { key: 'other' })).status, 400);
  const list = (await (await fetch(`${url}/api/commands?release=web&limit=1`)).json()) as Record<string, unknown>;
  t.like(list, {
    commands: [{ key: 'two', state: 'sent', sentBy: 'local', namespace: 'default', releaseName: 'web' }],
  });
  t.is(typeof list['next'], 'string');
});
