import test from 'ava';
import { briefAnswer } from '../../../src/agent/commands/brief.ts';
import { MAX_PACKET_BYTES } from '../../../src/protocol/limits.ts';

test('of a chart only the metadata is sent', (t) => {
  const release = { name: 'web', manifest: 'm', chart: { metadata: { name: 'c' }, templates: [{ name: 'a' }] } };
  t.deepEqual(briefAnswer({ release, info: 'kept' }), {
    release: { name: 'web', manifest: 'm', chart: { metadata: { name: 'c' } } },
    info: 'kept',
  });
});

test('what else would make a packet too large is left out by name', (t) => {
  const release = { name: 'web', hooks: [], config: { a: 1 }, manifest: '"'.repeat(MAX_PACKET_BYTES / 3) };
  const brief = briefAnswer({ release });
  t.deepEqual(brief.omitted, ['hooks', 'config', 'manifest']);
  t.is(JSON.stringify(brief.release), '{"name":"web"}');
  t.deepEqual(release.hooks, [], 'the release itself stays as it is');
});

test('an answer without a release is sent as it is', (t) => {
  t.deepEqual(briefAnswer({ releases: [] }), { releases: [] });
});
