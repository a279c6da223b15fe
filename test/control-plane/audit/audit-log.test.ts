import { setImmediate as nextTurn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { AuditEntry } from '../../../src/control-plane/audit/audit-entry.ts';
import { AuditLog, type AuditLogOptions } from '../../../src/control-plane/audit/audit-log.ts';
import { AuditError, verifyAudit } from '../../../src/control-plane/audit/verify-audit.ts';
import { createMemoryStore, createSqliteStore } from '../../../src/control-plane/index.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { temporaryFile } from '../support/file.ts';
import { testPlane } from '../support/plane.ts';
import { installed, rawAgent } from '../support/raw-agent.ts';
import { batch } from '../support/stored.ts';

const install = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c', namespace: 'shop' } };

/** Returns requests of users, and the lines of the audit log. */
function requestsTo(url: string) {
  const ask = (method: string, path: string, body?: unknown, token = 'root') =>
    fetch(`${url}${path}`, {
      ...{ method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const lines = async (query = '') => {
    const text = await (await ask('GET', `/api/audit${query}`)).text();
    return text.split('\n').filter((line) => line !== '');
  };
  const entries = async () => (await lines()).map((line) => JSON.parse(line) as AuditEntry);
  return { ask, lines, entries };
}

async function world(t: ExecutionContext, options: Parameters<typeof testPlane>[1] = {}) {
  const made = await testPlane(t, { apiToken: 'root', insecure: true, ...options });
  return { ...made, ...requestsTo(made.url) };
}

const verified = (lines: readonly string[]) => verifyAudit(new TextEncoder().encode(`${lines.join('\n')}\n`));

test('entries since a time are a whole part of the log, also if the clock was set back meanwhile', async (t) => {
  const store = createMemoryStore();
  const times = [10, 20, 30, 15, 16, 40].map((at, index) => ({ number: index + 1, at, line: String(index + 1) }));
  await store.write(batch({ audit: times }));
  const log = new AuditLog({
    ...{ log: silentLog, store, limits: { auditEntries: 10, auditMs: 1000 }, write: () => undefined },
    ...{ now: () => new Date(0), monotonic: () => 0 },
  });
  const numbers = async (...range: [number, number?]) => {
    const read: number[] = [];
    for await (const { number } of log.after(...range)) read.push(number);
    return read;
  };
  t.deepEqual(await numbers(0, 20), [2, 3, 4, 5, 6]);
  t.deepEqual(await numbers(3, 20), [4, 5, 6]);
  t.deepEqual(await numbers(0, 41), []);
  t.deepEqual(await numbers(4), [5, 6]);
});

test('a reader of entries since a time to come waits, without reading the log again and again', async (t) => {
  const store = createMemoryStore();
  let reads = 0;
  const audit: typeof store.audit = async (page) => {
    reads++;
    await nextTurn();
    return await store.audit(page);
  };
  const stored: (() => void)[] = [];
  const log = new AuditLog({
    ...{ log: silentLog, store: { ...store, audit }, limits: { auditEntries: 10, auditMs: 1000 } },
    ...{ now: () => new Date(100), monotonic: () => 0 },
    write: ({ audit: entry, onStored }) =>
      stored.push(() => entry && void store.write(batch({ audit: [entry] })).then(onStored)),
  });
  log.open({ number: 1, at: 10, line: '{}' });
  await store.write(batch({ audit: [{ number: 1, at: 10, line: '{}' }] }));
  const entries = log.after(0, 50, new AbortController().signal);
  const next = entries.next();
  for (let turns = 0; turns < 20; turns++) await nextTurn();
  log.add({ action: 'first', decision: 'allowed', outcome: 'ok' });
  for (const store of stored) store();
  t.like(await next, { value: { number: 2 } });
  t.true(reads <= 4, `${reads} reads`);
  log.close();
  await entries.return(undefined);
});

test('the log says who has done what, from where, and what came of it', async (t) => {
  const { plane, agentUrl, ask, lines, entries } = await world(t);
  const agent = await rawAgent(agentUrl);
  const roles = [{ rights: ['deploy'], namespaces: ['shop'] }];
  const { token, id } = (await (await ask('POST', '/api/tokens', { name: 'ci', roles })).json()) as Record<
    string,
    string
  >;
  const payload = { ...install.payload, repoPassword: 'sentinel', values: 'key: sentinel' };
  await ask('POST', '/api/agents/edge-1/commands', { ...install, payload, key: 'k' }, token);
  await ask('POST', '/api/agents/edge-1/commands', { ...install, payload: { ...payload, namespace: 'pay' } }, token);
  await agent.packet('install_release');
  agent.send('accepted', { durable: false }, 'k');
  agent.send('result', installed, 'k');
  await plane.command('k')?.result;
  await ask('GET', '/api/agents', undefined, 'wrong');
  await ask('POST', '/api/agents/edge-2/enrolment', {});
  await plane.revokeAgent('edge-2');
  await ask('DELETE', `/api/tokens/${id ?? ''}`);
  const all = await entries();
  const digest = all.find(({ key }) => key === 'k')?.digest;
  t.regex(digest ?? '', /^[0-9a-f]{64}$/);
  const from = '127.0.0.1';
  const command = {
    agentId: 'edge-1',
    type: 'install_release',
    key: 'k',
    namespace: 'shop',
    releaseName: 'web',
    digest,
  };
  const ok = { decision: 'allowed', outcome: 'ok' };
  const sending = { action: 'POST /api/agents/edge-1/commands', from, user: 'ci' };
  t.deepEqual(
    all.map(({ number: _number, time: _time, previous: _previous, ...entry }) => entry as object),
    [
      { action: 'agent connected', agentId: 'edge-1', ...ok },
      { action: 'POST /api/tokens', from, user: 'api-token', ...ok, tokenId: id },
      { ...sending, ...ok, ...command },
      {
        ...{ ...sending, outcome: 'forbidden', type: 'install_release', agentId: 'edge-1' },
        ...{ namespace: 'pay', releaseName: 'web', decision: 'refused' },
      },
      { action: 'command delivered', ...ok, ...command },
      { action: 'command ended', ...ok, ...command },
      { action: 'GET /api/agents', from, outcome: 'unauthenticated', decision: 'refused' },
      { action: 'POST /api/agents/edge-2/enrolment', from, user: 'api-token', ...ok },
      { action: 'revokeAgent', user: 'application', agentId: 'edge-2', ...ok },
      { action: `DELETE /api/tokens/${id ?? ''}`, from, user: 'api-token', ...ok, tokenId: id },
    ],
  );
  const text = (await lines()).join('\n');
  for (const secret of ['sentinel', token ?? '?', 'root']) t.false(text.includes(secret));
  t.like(verified(await lines()), { count: 10, first: 1, last: 10 });
});

test('the chain continues after a restart', async (t) => {
  const file = await temporaryFile(t);
  const first = await world(t, { store: createSqliteStore(file) });
  await first.ask('POST', '/api/agents/edge-1/enrolment', {});
  await first.plane.close();
  const second = await world(t, { store: createSqliteStore(file) });
  await second.ask('DELETE', '/api/agents/edge-1/enrolment');
  t.like(verified(await second.lines()), { count: 2, first: 1, last: 2 });
});

test('a flood of refused requests gets few entries, and is counted', async (t) => {
  const { plane, ask, entries, url } = await world(t);
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 10 }, () => ask('GET', '/api/agents', undefined, 'wrong')));
  }
  await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/nothing`, { method: 'POST' })));
  t.true((await entries()).length <= 30, 'without a token, there is no entry for a path that does not exist');
  const refused: AuditEntry[] = [];
  const stores: AuditLogOptions['write'] = ({ onStored }) => onStored?.();
  const log = new AuditLog({
    ...{ log: silentLog, store: createMemoryStore(), limits: { auditEntries: 10, auditMs: 10 }, write: stores },
    ...{ now: () => new Date(0), monotonic: () => 0, onEntry: (entry) => refused.push(entry) },
  });
  log.open(undefined);
  for (let sender = 0; sender < 5000; sender++) {
    for (let time = 0; time < 3; time++)
      log.addRefusal({ action: 'x', from: `10.0.0.${sender}`, outcome: 'forbidden' });
  }
  log.close();
  t.is(refused.length, 201);
  t.is(refused.at(-1)?.count, 15_000 - 200);
  await plane.close();
});

test('no text of a request breaks a line, or a terminal', async (t) => {
  const { ask, lines, entries } = await world(t);
  await ask('POST', `/api/agents/${encodeURIComponent('a\n{"number":9}\u001b[2J')}/commands`, install);
  const namespace = 'x\n\u001b[31m\u202e'.padEnd(250, 'й');
  const { token } = (await (
    await ask('POST', '/api/tokens', { name: 'ci', roles: [{ rights: ['read'] }] })
  ).json()) as Record<string, string>;
  await ask('POST', '/api/agents/edge-1/commands', { ...install, payload: { ...install.payload, namespace } }, token);
  await ask('POST', `/api/agents/${'a'.repeat(8000)}/accept`);
  t.is((await lines()).length, 4);
  for (const line of await lines()) t.regex(line, /^[\x20-\x7e]{1,1500}$/);
  t.is((await entries())[2]?.namespace?.length, 250);
  t.is(verified(await lines()).count, 4);
});

test('a log is read from a time on', async (t) => {
  const { ask, lines } = await world(t);
  await ask('POST', '/api/agents/edge-1/enrolment', {});
  t.is((await lines('?since=2020-01-01T00:00:00Z')).length, 1);
  t.is((await lines('?since=2999-01-01T00:00:00%2B02:00')).length, 0);
  for (const since of ['yesterday', '', '2026', '2026-01-01T99:99:99Z', '1'.repeat(5000)]) {
    t.is((await ask('GET', `/api/audit?since=${since}`)).status, 400, since);
  }
});

test('a log is followed', async (t) => {
  const { ask, url, plane } = await world(t);
  await ask('POST', '/api/agents/edge-1/enrolment', {});
  const headers = { authorization: 'Bearer root', 'last-event-id': '1' };
  const { body } = await fetch(`${url}/api/audit/events`, { headers });
  await ask('DELETE', '/api/agents/edge-1/enrolment');
  const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) text += (await reader.read()).value ?? '';
  t.regex(
    text,
    /^id: 2\nevent: entry\ndata: \{"number":2,"time":"[^"]*","action":"DELETE \/api\/agents\/edge-1\/enrolment"/,
  );
  await plane.close();
});

test('old entries are deleted from the beginning, and the rest belongs together', async (t) => {
  for (const store of [createMemoryStore(), createSqliteStore(await temporaryFile(t))]) {
    await store.open();
    const empty = { commands: [], events: [], trims: [], forgotten: [], agents: [], forgottenAgents: [] };
    const audit = [10, 20, 15, 30, 5].map((at, index) => ({ number: index + 1, at, line: `${at}` }));
    await store.write({ ...empty, audit });
    const numbers = async () => (await store.audit({ after: 0, since: 0, max: 10 })).map(({ number }) => number);
    await store.write({ ...empty, oldAudit: { upTo: -5, before: 16 } });
    t.deepEqual(await numbers(), [2, 3, 4, 5], 'a clock that was set back for a moment deletes nothing');
    await store.write({ ...empty, oldAudit: { upTo: 3, before: 0 } });
    t.deepEqual(await numbers(), [4, 5]);
    t.deepEqual(await store.audit({ after: 4, since: 6, max: 10 }), []);
    await store.close();
    t.is((await store.open()).lastAudit?.number, 5);
    await store.close();
  }
});

async function threeLines(t: ExecutionContext): Promise<string[]> {
  const { ask, lines } = await world(t);
  for (const id of ['a', 'b', 'c']) await ask('POST', `/api/agents/${id}/enrolment`, {});
  return lines();
}

test('a line that was changed, removed, inserted or moved is found', async (t) => {
  const [first = '', second = '', third = ''] = await threeLines(t);
  t.is(verified([first, second, third]).count, 3);
  t.is(verified([second, third]).first, 2, 'the beginning may have been deleted');
  const bad: [lines: string[], message: RegExp][] = [
    [[first, second.replace('/b/', '/x/'), third], /^line 3: entry 2 or entry 3 was changed/],
    [[first, third], /^line 2: entry 3 follows entry 1; entries are missing/],
    [[first, second, second, third], /^line 3: entry 2 follows entry 2/],
    [[first, third, second], /^line 2: entry 3 follows entry 1/],
    [[first, '', second], /^line 2: it is not an entry/],
    [['x'.repeat(100_000)], /^line 1: it has more than 65536 bytes/],
    [['[1]'], /^line 1: it is not an entry/],
  ];
  for (const [lines, message] of bad) t.throws(() => verified(lines), { instanceOf: AuditError, message });
  t.throws(() => verifyAudit(new Uint8Array()), { message: 'there are no entries' });
});

test('the application gets entries when they are stored, in their order', (t) => {
  const got: number[] = [];
  const stored: Array<() => void> = [];
  const log = new AuditLog({
    ...{ log: silentLog, store: createMemoryStore(), limits: { auditEntries: 10, auditMs: 1000 } },
    ...{ now: () => new Date(0), monotonic: () => 0, onEntry: ({ number }) => got.push(number) },
    write: ({ onStored }) => onStored && stored.push(onStored),
  });
  log.open(undefined);
  log.add({ action: 'first', decision: 'allowed', outcome: 'ok' });
  log.add({ action: 'second', decision: 'allowed', outcome: 'ok' });
  log.close();
  t.deepEqual(got, []);
  for (const onStored of stored) onStored();
  t.deepEqual(got, [1, 2]);
});
