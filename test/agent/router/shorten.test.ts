import test from 'ava';
import { shortenAnswer, shortenMessage } from '../../../src/agent/router/shorten.ts';
import { maxPacketBytes } from '../../../src/protocol/limits.ts';
import { testRelease } from '../support/release.ts';

test('a release keeps only the metadata of its chart', (t) => {
  const chart = { metadata: { name: 'c' }, templates: [{ name: 'a' }] };
  const release = testRelease('web', { manifest: 'm', chart });
  t.deepEqual<unknown, unknown>(shortenAnswer({ release, info: 'kept' }), {
    release: { ...release, chart: { metadata: { name: 'c' } } },
    info: 'kept',
  });
});

test('a release that is too large for a packet loses fields, which are named', (t) => {
  const large = { hooks: [], config: { a: 1 }, manifest: '"'.repeat(maxPacketBytes / 3) };
  const release = testRelease('web', large);
  const answer = shortenAnswer({ release });
  t.deepEqual(JSON.parse(JSON.stringify(answer)), {
    release: testRelease('web'),
    omitted: ['hooks', 'config', 'manifest'],
  });
  t.deepEqual(release.hooks, [], 'the release itself is not changed');
});

test('an answer without a release is not changed', (t) => {
  t.deepEqual(shortenAnswer({ releases: [] }), { releases: [] });
});

test('a long message loses its middle', (t) => {
  const message = `${'a'.repeat(50_000)}${'b'.repeat(50_000)}`;
  const short = shortenMessage(message);
  t.true(short.length < 66_000);
  t.regex(short, /^a+ … \(34464 characters are left out\) … b+$/);
  t.is(shortenMessage('short'), 'short');
});
