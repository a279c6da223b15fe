import test from 'ava';
import { type CopyPlace, readCopyPlace, splitPodPath } from '../../../../src/cli/ctl/cp/copy-place.ts';

const reads = test.macro({
  title: (_title, given: string) => `reads the place ${JSON.stringify(given)}`,
  exec(t, given: string, expected: CopyPlace) {
    t.deepEqual(readCopyPlace(given), expected);
  },
});

test(reads, 'web-0:/tmp/a', { target: 'web-0', path: '/tmp/a' });
test(reads, 'deploy/web:a:b', { target: 'deploy/web', path: 'a:b' });
test(reads, ':/tmp/a', { target: '', path: '/tmp/a' });
test(reads, 'a.txt', { path: 'a.txt' });
test(reads, './a:b', { path: './a:b' });
test(reads, '/a:b', { path: '/a:b' });
test(reads, String.raw`C:\a`, { path: String.raw`C:\a` });
test(reads, '..', { path: '..' });

for (const wrong of ['', 'web-0:', ':']) {
  test(`a place without a path is refused: ${JSON.stringify(wrong)}`, (t) => {
    t.throws(() => readCopyPlace(wrong), { message: /has no path/ });
  });
}

test('a long place is read in linear time', (t) => {
  const path = '/'.repeat(1_000_000);
  t.deepEqual(splitPodPath(path), { folder: '/', name: '.' });
  t.like(readCopyPlace(`web-0:${path}`), { target: 'web-0' });
});

const splits = test.macro({
  title: (_title, given: string) => `splits the path ${JSON.stringify(given)}`,
  exec(t, given: string, folder: string, name: string) {
    t.deepEqual(splitPodPath(given), { folder, name });
  },
});

test(splits, '/tmp/a', '/tmp', 'a');
test(splits, '/tmp/a/', '/tmp', 'a');
test(splits, '/a', '/', 'a');
test(splits, '/', '/', '.');
test(splits, 'a', '.', 'a');
test(splits, '.', '.', '.');
test(splits, '../..', '../..', '.');
test(splits, '/tmp/a/.', '/tmp/a', '.');
test(splits, '/tmp/../a', '/', 'a');
