import test from 'ava';
import { resolveHost } from '../../src/render/resolve-host.ts';

const never = new AbortController().signal;

test('returns the addresses of a host, and of an address itself', async (t) => {
  t.true((await resolveHost('localhost', never)).some((address) => address === '127.0.0.1' || address === '::1'));
  t.deepEqual(await resolveHost('10.1.2.3', never), ['10.1.2.3']);
});

test('returns nothing for a name that does not exist', async (t) => {
  t.deepEqual(await resolveHost('', never), []);
  t.deepEqual(await resolveHost('a b', never), []);
});

test('throws the reason of its signal', async (t) => {
  const reason = new Error('cancelled');
  await t.throwsAsync(resolveHost('localhost', AbortSignal.abort(reason)), { message: /abort/i });
});
