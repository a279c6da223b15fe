import test from 'ava';
import { AvaOutput } from '../../tools/suite/ava-output.ts';

interface Run {
  isTTY?: boolean;
  lines: readonly (readonly [string, string?])[];
}

/** Returns what is printed for the lines of ava. The second element is the only file that runs. */
function printed({ isTTY = false, lines }: Run): string[] {
  const texts: string[] = [];
  const output = new AvaOutput({ isTTY, write: (text) => void texts.push(text) }, () => '1 of 2 files');
  for (const [line, file] of lines) output.line(line, file);
  output.end([
    { file: 'test/fast.test.ts', ms: 10 },
    { file: 'test/slow.test.ts', ms: 2000 },
  ]);
  output.close();
  return texts.join('').split('\n');
}

const end = (counts: string) => [
  ...['', '  Slowest files:', '     2.0 s  test/slow.test.ts', '     0.0 s  test/fast.test.ts'],
  ...['', `  1 of 2 files, ${counts}, 0 s`, ''],
];

test('titles are the same as if each file had a process of its own', (t) => {
  const lines = [
    ['  ✔ .shared › 3 › go › fmt › prints (1.2s)'],
    ['  ✔ bin › run › starts'],
    ['  ✘ [fail]: .shared › 12 › go › fmt › fails'],
    ['  - [skip] .shared › 1 › go › fmt › is skipped'],
    ['  .shared › 12 › go › fmt › fails'],
  ] as const;
  t.deepEqual(printed({ lines }), [
    '  ✔ go › fmt › prints (1.2s)',
    '  ✔ bin › run › starts',
    '  ✘ [fail]: go › fmt › fails',
    '  - [skip] go › fmt › is skipped',
    '  go › fmt › fails',
    ...end('2 tests passed, 1 failed'),
  ]);
});

test('a test that passes again, because its file runs again by itself, counts once', (t) => {
  const lines = [
    ['  ✔ .shared › 1 › go › fmt › prints (1.2s)'],
    ['  ✔ prints (80ms)', 'test/go/fmt.test.ts'],
    ['  ✔ scans', 'test/go/fmt.test.ts'],
    ['  ✘ test/go/fmt.test.ts exited with a non-zero exit code: 1', 'test/go/fmt.test.ts'],
  ] as const;
  t.deepEqual(printed({ lines }), [
    '  ✔ go › fmt › prints (1.2s)',
    '  ✔ go › fmt › scans',
    '  ✘ test/go/fmt.test.ts exited with a non-zero exit code: 1',
    ...end('2 tests passed, 0 failed'),
  ]);
});

test('a terminal shows only failures and the line of progress', (t) => {
  const lines = [['  ✔ bin › run › starts'], ['  ✘ [fail]: bin › run › stops']] as const;
  const [first, ...others] = printed({ isTTY: true, lines });
  t.is(first, '\r\u001B[K  ✘ [fail]: bin › run › stops');
  t.is(others.at(-2), '  1 of 2 files, 1 tests passed, 1 failed, 0 s');
});
