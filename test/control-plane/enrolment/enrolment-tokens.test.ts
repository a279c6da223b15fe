import { randomBytes } from 'node:crypto';
import test from 'ava';
import { EnrolmentTokens } from '../../../src/control-plane/enrolment/enrolment-tokens.ts';
import type { StoredEntry } from '../../../src/control-plane/index.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 2);
const invitation = (agentId = 'edge-1') => ({ agentId, needsConsent: false, labels: {} });

/** Returns tokens with clocks that a test sets, and what they have stored. */
function world(before: readonly StoredEntry[] = []) {
  const clock = { now: start, monotonic: 0 };
  const entries = new Map(before.map((entry) => [entry.id, entry]));
  const tokens = new EnrolmentTokens({
    keep(entry) {
      if (entry.text === undefined) entries.delete(entry.id);
      else entries.set(entry.id, entry);
    },
    now: () => new Date(clock.now),
    monotonic: () => clock.monotonic,
    randomBytes,
  });
  for (const entry of before) tokens.restore(entry);
  return { clock, tokens, entries, stored: () => [...entries.values()] };
}

test('a token is used once, and only its hash is stored', (t) => {
  const { tokens, stored } = world();
  const { token, expiresAt } = tokens.create(invitation(), hour);
  t.regex(token, /^hae_[\w-]{43}$/);
  t.is(expiresAt, start + hour);
  t.false(JSON.stringify(stored()).includes(token.slice(4)));
  t.is(tokens.take(token, 'edge-1')?.agentId, 'edge-1');
  t.is(tokens.take(token, 'edge-1'), undefined);
  t.deepEqual(stored(), []);
});

test('a token that was used is used after a restart, too', (t) => {
  const first = world();
  const { token } = first.tokens.create(invitation(), hour);
  const second = world(first.stored());
  t.truthy(second.tokens.take(token, 'edge-1'));
  t.is(world(second.stored()).tokens.take(token, 'edge-1'), undefined);
});

test('the token of another agent is refused, and stays valid for that one', (t) => {
  const { tokens } = world();
  const { token } = tokens.create(invitation(), hour);
  t.is(tokens.take(token, 'edge-2'), undefined);
  t.truthy(tokens.take(token, 'edge-1'));
});

test('an agent has one token: another one ends the one before', (t) => {
  const { tokens } = world();
  const first = tokens.create(invitation(), hour).token;
  const second = tokens.create(invitation(), hour).token;
  t.is(tokens.take(first, 'edge-1'), undefined);
  t.truthy(tokens.take(second, 'edge-1'));
});

test('a token ends after its time, whatever the clock does', (t) => {
  const { tokens, clock } = world();
  const forward = tokens.create(invitation(), hour).token;
  clock.now += hour;
  t.is(tokens.take(forward, 'edge-1'), undefined);
  const back = tokens.create(invitation(), hour).token;
  clock.now -= 24 * hour;
  clock.monotonic += hour - 1;
  t.truthy(tokens.of('edge-1'));
  clock.monotonic += 1;
  t.is(tokens.of('edge-1'), undefined);
  t.is(tokens.take(back, 'edge-1'), undefined);
});

test('after a restart with a clock that was set back, a token lives no longer than it was made for', (t) => {
  const first = world();
  const { token } = first.tokens.create(invitation(), hour);
  const { tokens, clock } = world(first.stored());
  clock.now -= 365 * 24 * hour;
  clock.monotonic = hour;
  t.is(tokens.take(token, 'edge-1'), undefined);
});

test('tokens that have expired are removed from the store', (t) => {
  const { tokens, clock, stored } = world();
  for (let index = 0; index < 100; index++) tokens.create(invitation(`edge-${index}`), hour);
  t.is(stored().length, 100);
  clock.now += hour;
  clock.monotonic += hour;
  tokens.create(invitation('late'), hour);
  t.is(stored().length, 1);
  t.is(tokens.count, 1);
});
