import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { StoredEntry } from '../../../src/control-plane/index.ts';
import { UserSessions } from '../../../src/control-plane/sign-in/user-sessions.ts';
import { changeableFile } from './support/signed-in.ts';

const minute = 60_000;
const hour = 60 * minute;
const kim = { name: 'kim@example.com', groups: ['platform'] };

function testSessions(t: ExecutionContext, entries: StoredEntry[] = []) {
  const time = { now: Date.parse('2026-01-01T00:00:00Z'), monotonic: 0 };
  const kept: StoredEntry[] = [];
  const ended: string[] = [];
  const file = changeableFile({ issuer: 'https://login.example' });
  const sessions = new UserSessions({
    ...{ settings: file.settings, randomBytes },
    now: () => new Date(time.now),
    monotonic: () => time.monotonic,
    keep: (entry) => kept.push(entry),
    stored: () => Promise.resolve(),
    onEnded: ({ name }, reason) => ended.push(`${name} ${reason}`),
  });
  sessions.open(entries);
  t.teardown(() => sessions.close());
  const pass = (milliseconds: number) => {
    time.now += milliseconds;
    time.monotonic += milliseconds;
  };
  return { sessions, time, kept, ended, file, pass };
}

test('a session ends after two hours without use', async (t) => {
  const { sessions, ended, pass } = testSessions(t);
  const { secret } = await sessions.create(kim, 'browser');
  pass(2 * hour - 1);
  const person = sessions.find(secret, 'browser');
  t.is(person?.name, kim.name);
  pass(2 * hour - 1);
  t.is(sessions.find(secret, 'browser'), person);
  pass(2 * hour);
  t.is(sessions.find(secret, 'browser'), undefined);
  t.true(person?.revoked?.aborted);
  t.deepEqual(ended, ['kim@example.com expired']);
});

test('a session that is used all the time ends after twelve hours', async (t) => {
  const { sessions, pass, kept } = testSessions(t);
  const { secret } = await sessions.create(kim, 'ctl');
  for (let passed = 0; passed < 12 * hour; passed += hour) {
    t.not(sessions.find(secret, 'ctl'), undefined);
    pass(hour);
  }
  t.is(sessions.find(secret, 'ctl'), undefined);
  t.is(kept.at(-1)?.text, undefined);
  t.deepEqual(sessions.list(), []);
});

test('a clock that is set back does not make a session longer', async (t) => {
  const { sessions, time } = testSessions(t);
  const { secret } = await sessions.create(kim, 'browser');
  time.now -= 24 * hour;
  time.monotonic += 2 * hour;
  t.is(sessions.find(secret, 'browser'), undefined);
});

test('the last use is stored at most once a minute, and survives a restart', async (t) => {
  const { sessions, kept, pass } = testSessions(t);
  const { secret } = await sessions.create(kim, 'browser');
  for (let count = 0; count < 100; count++) {
    pass(3000);
    sessions.find(secret, 'browser');
  }
  t.is(kept.length, 6);
  t.false(JSON.stringify(kept).includes(secret.slice(4)));
  const second = testSessions(t, kept.slice(-1));
  t.is(second.sessions.find(secret, 'browser')?.name, kim.name);
  const late = testSessions(t, [{ ...(kept.at(-1) ?? { collection: '', id: '' }), text: kept[0]?.text }]);
  late.pass(2 * hour);
  t.is(late.sessions.find(secret, 'browser'), undefined);
});

test('a secret counts only for its kind, and a text of another form never', async (t) => {
  const { sessions } = testSessions(t);
  const { secret } = await sessions.create(kim, 'browser');
  for (const text of [secret, secret.slice(0, -1), `${secret}x`, '', 'has_', '__proto__', 'a'.repeat(100_000)]) {
    t.is(sessions.find(text, 'ctl'), undefined);
    t.is(sessions.find(text, 'browser') !== undefined, text === secret);
  }
});

test('a new session of a person ends the one of them that was used longest ago', async (t) => {
  const { sessions, pass } = testSessions(t);
  const other = await sessions.create({ ...kim, name: 'lee@example.com' }, 'browser');
  const own: string[] = [];
  for (let count = 0; count < 20; count++) {
    own.push((await sessions.create(kim, 'browser')).secret);
    pass(1000);
  }
  sessions.find(own[0] ?? '', 'browser');
  pass(1000);
  await sessions.create(kim, 'browser');
  const valid = own.map((secret) => sessions.find(secret, 'browser') !== undefined);
  t.deepEqual(
    valid.flatMap((isValid, index) => (isValid ? [] : index)),
    [1],
  );
  t.not(sessions.find(other.secret, 'browser'), undefined);
});

test('a person in several groups has all of their roles, and keeps what is left of them', async (t) => {
  const { sessions, file, ended } = testSessions(t);
  const { secret } = await sessions.create({ ...kim, groups: ['platform', 'shop'] }, 'browser');
  t.is(sessions.find(secret, 'browser')?.roles.length, 2);
  file.change({ groups: [{ group: 'shop', roles: [{ rights: ['read'] }] }] });
  sessions.refresh();
  t.deepEqual(sessions.find(secret, 'browser')?.roles, [{ rights: ['read'] }]);
  const person = sessions.find(secret, 'browser');
  sessions.refresh();
  t.is(sessions.find(secret, 'browser'), person, 'nothing has changed');
  file.change({ groups: [{ group: 'none', roles: [{ rights: ['read'] }] }] });
  sessions.refresh();
  t.is(sessions.find(secret, 'browser'), undefined);
  t.deepEqual(ended, ['kim@example.com no role any more']);
});
