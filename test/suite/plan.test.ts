import { existsSync } from 'node:fs';
import test from 'ava';
import { namedFiles, planOf } from '../../tools/suite/plan.ts';

const read = (text: string) => () => text;

test('all files run once, and the same files share a process whatever their order', (t) => {
  const files = Array.from({ length: 50 }, (_, index) => `test/go/${String(index).padStart(2, '0')}.test.ts`);
  const { longest, alone, groups } = planOf(files, read(''));
  t.deepEqual([...longest, ...alone], []);
  t.deepEqual(groups.flat(), files);
  t.deepEqual(
    groups.map(({ length }) => length),
    [17, 17, 16],
  );
  t.deepEqual(planOf(files.toReversed(), read('')), { longest, alone, groups });
});

for (const text of [
  "import { Worker } from 'node:worker_threads';",
  "import { mock } from 'node:test';",
  'process.chdir(folder);',
  "process.on('uncaughtException', note);",
  'const before = process.memoryUsage();',
  'globalThis.fetch = fake;',
  "process.env['PATH'] = folder;",
]) {
  test(`a file has a process of its own because of its text: ${text}`, (t) => {
    t.deepEqual(planOf(['test/go/a.test.ts'], read(text)), { longest: [], alone: ['test/go/a.test.ts'], groups: [] });
  });
}

test('files that measure time have a process of their own, and the longest start first', (t) => {
  const files = [
    'test/bin/a.test.ts',
    'test/hostile/linear.test.ts',
    'test/operation/resumption/moments.test.ts',
    'test/bin/api-faults.test.ts',
  ];
  t.deepEqual(planOf(files, read('')), {
    longest: ['test/bin/api-faults.test.ts', 'test/operation/resumption/moments.test.ts'],
    alone: ['test/hostile/linear.test.ts'],
    groups: [['test/bin/a.test.ts']],
  });
});

test('all files that the plan names exist', (t) => {
  t.deepEqual(
    namedFiles.filter((file) => !existsSync(file)),
    [],
  );
});
