import test from 'ava';
import { type ClusterErrorCode, hasClusterErrorCode, isTemporary } from '../../src/objects/cluster-error.ts';

const failed = (code: ClusterErrorCode) => Object.assign(new Error('no'), { code });

const cases: [code: ClusterErrorCode, temporary: boolean][] = [
  ['unreachable', true],
  ['server_error', true],
  ['too_many_requests', true],
  ['conflict', false],
  ['forbidden', false],
  ['unauthorized', false],
  ['gone', false],
  ['invalid', false],
];
for (const [code, temporary] of cases) {
  test(`a request that failed with ${code} ${temporary ? 'may' : 'will not'} succeed later`, (t) => {
    t.is(isTemporary(failed(code)), temporary);
    t.is(isTemporary(Object.assign(new Error('no'), { cause: failed(code) })), false);
  });
}

test('an error has one of several codes, and anything else has none', (t) => {
  t.true(hasClusterErrorCode(failed('conflict'), 'not_found', 'conflict'));
  t.false(hasClusterErrorCode(failed('gone'), 'not_found', 'conflict'));
  t.false(hasClusterErrorCode(failed('gone')));
  for (const other of [undefined, null, 'conflict', { code: 'conflict' }]) {
    t.false(hasClusterErrorCode(other, 'conflict'));
  }
});
