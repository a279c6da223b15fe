import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { UserTokens } from '../../../src/control-plane/access/user-tokens.ts';
import { createSqliteStore, type StoredEntry } from '../../../src/control-plane/index.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';
import { temporaryFile } from '../support/file.ts';
import { testPlane } from '../support/plane.ts';

const reader = [{ rights: ['read'] }];

function testTokens(t: ExecutionContext, entries: StoredEntry[] = []) {
  const time = { now: Date.parse('2026-01-01T00:00:00Z'), monotonic: 0 };
  const kept: StoredEntry[] = [];
  const tokens = new UserTokens({
    ...{ table: commandTable, randomBytes },
    now: () => new Date(time.now),
    monotonic: () => time.monotonic,
    keep: (entry) => kept.push(entry),
    stored: () => Promise.resolve(),
  });
  tokens.open(entries);
  t.teardown(() => tokens.close());
  const pass = (milliseconds: number) => {
    time.now += milliseconds;
    time.monotonic += milliseconds;
  };
  return { tokens, time, kept, pass };
}

const day = 24 * 3_600_000;

test('a token is valid until it expires, and ends the streams of its user then', async (t) => {
  const { tokens, kept, pass } = testTokens(t);
  const { token, ...created } = await tokens.create(
    { name: 'ci', roles: reader },
    { name: 'api-token', requireAllowed: () => undefined },
  );
  t.regex(token, /^hau_[\w-]{43}$/);
  const id = /^[0-9a-f]{12}$/.exec(created.id)?.[0] ?? '';
  const times = { createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-31T00:00:00.000Z' };
  t.deepEqual(created, { id, name: 'ci', roles: reader, ...times, createdBy: 'api-token' });
  t.deepEqual(tokens.list(), [created]);
  const user = tokens.find(token);
  t.is(user?.name, 'ci');
  pass(30 * day - 1);
  t.is(tokens.find(token), user);
  pass(1);
  t.is(tokens.find(token), undefined);
  t.true(user?.revoked?.aborted);
  t.is(kept.at(-1)?.text, undefined);
  t.deepEqual(tokens.list(), []);
});

test('a clock that is set back does not make a token valid for longer', async (t) => {
  const { tokens, time } = testTokens(t);
  const { token } = await tokens.create({ name: 'ci', roles: reader, expiresIn: '1h' });
  time.now -= 30 * day;
  time.monotonic += 3_600_000;
  t.is(tokens.find(token), undefined);
});

test('one of several tokens of a user is revoked', async (t) => {
  const { tokens } = testTokens(t);
  const first = await tokens.create({ name: 'ci', roles: reader });
  const second = await tokens.create({ name: 'ci', roles: reader });
  const user = tokens.find(first.token);
  t.like(await tokens.revoke(first.id), { id: first.id, name: 'ci' });
  t.true(user?.revoked?.aborted);
  t.is(tokens.find(first.token), undefined);
  t.is(tokens.find(second.token)?.name, 'ci');
  await t.throwsAsync(tokens.revoke(first.id), { code: 'token_not_found' });
  await t.throwsAsync(tokens.revoke(''), { code: 'token_not_found' });
});

test('only the hash of a token is stored', async (t) => {
  const file = await temporaryFile(t);
  const first = await testPlane(t, { store: createSqliteStore(file) });
  const { token, id } = await first.plane.tokens.create({ name: 'ci', roles: reader });
  const ended = await first.plane.tokens.create({ name: 'ci', roles: reader });
  await first.plane.tokens.revoke(ended.id);
  await first.plane.close();
  t.false((await readFile(file, 'latin1')).includes(token.slice(4)));
  t.false(first.lines.join('').includes(token));
  const second = await testPlane(t, { store: createSqliteStore(file) });
  t.deepEqual(
    second.plane.tokens.list().map((each) => each.id),
    [id],
  );
  t.is(second.plane.tokens.find(token)?.name, 'ci');
  t.is(second.plane.tokens.find(ended.token), undefined);
});

const refuses = test.macro({
  title: (name) => `a token is refused: ${name ?? ''}`,
  async exec(t, options: object, message: RegExp) {
    const { tokens, kept } = testTokens(t);
    const given = { name: 'ci', roles: reader, ...options };
    await t.throwsAsync(tokens.create(given), { code: 'bad_request', message });
    t.deepEqual(kept, []);
  },
});
test('no name', refuses, { name: '' }, /name/);
test('a name with a line break', refuses, { name: 'ci\nadmin' }, /name must be letters/);
test('a name that looks like another one', refuses, { name: 'cі' }, /name must be letters/);
test('a long name', refuses, { name: 'a'.repeat(100_000) }, /name/);
test('the name of the API token', refuses, { name: 'api-token' }, /is a name of the control plane/);
test('the name of a local user', refuses, { name: 'local' }, /is a name of the control plane/);
test('no roles', refuses, { roles: [] }, /roles must have an item/);
test('a role without rights', refuses, { roles: [{ rights: [] }] }, /rights must have an item/);
test('an unknown right', refuses, { roles: [{ rights: ['fly'] }] }, /must have rights among read, deploy/);
test('a right of all objects', refuses, { roles: [{ rights: ['toString'] }] }, /must have rights among/);
test('an unknown field', refuses, { roles: [{ rights: ['read'], agent: ['a'] }] }, /roles/);
test('an empty list of agents', refuses, { roles: [{ rights: ['read'], agents: [] }] }, /leave the field out for all/);
test('an empty selector', refuses, { roles: [{ rights: ['read'], labels: ' ' }] }, /must be a label selector/);
test('a wrong selector', refuses, { roles: [{ rights: ['read'], labels: 'a in b' }] }, /must be a label selector/);
const selector = Array.from({ length: 5000 }, (_, index) => `a${index}`).join(',');
test('a long selector', refuses, { roles: [{ rights: ['read'], labels: selector }] }, /labels/);
const many = (count: number) => Array.from({ length: count }, () => 'a');
test('many patterns', refuses, { roles: [{ rights: ['read'], namespaces: many(101) }] }, /namespaces/);
test('many roles', refuses, { roles: many(21).map(() => ({ rights: ['read'] })) }, /at most 20/);
test('a time without a unit', refuses, { expiresIn: '30' }, /expiresIn must be days such as 30d/);
test('a time in the past', refuses, { expiresIn: '-1d' }, /expiresIn must be days/);
test('no time', refuses, { expiresIn: '0d' }, /expiresIn must be days/);
test('more than ten years', refuses, { expiresIn: '3651d' }, /at most 3650d/);
test('options that are not an object', refuses, { expiresIn: {} }, /expiresIn must be days/);
