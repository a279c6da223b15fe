import test from 'ava';
import { logPrinter } from '../../../../src/cli/ctl/logs/log-printer.ts';
import type { LogRecord } from '../../../../src/protocol/streams/log-records.ts';

type Part = readonly [pod: string, run: number, text: string];

const recordOf = ([pod, run, text]: Part): LogRecord => ({
  cursor: { pod, container: 'app', uid: pod, run, time: '', lines: 0 },
  bytes: Buffer.from(text),
});

const cases: [title: string, parts: readonly Part[], plain: string, prefixed: string][] = [
  ['lines', [['a', 0, 'one\ntwo\n']], 'one\ntwo\n', '[pod/a/app] one\n[pod/a/app] two\n'],
  [
    'a line in parts',
    [
      ['a', 0, 'on'],
      ['a', 0, 'e\n'],
    ],
    'one\n',
    '[pod/a/app] one\n',
  ],
  ['a last line without a line break', [['a', 0, 'one']], 'one', '[pod/a/app] one'],
  [
    'a run whose last line has no line break, and the next one',
    [
      ['a', 0, 'fatal'],
      ['a', 1, 'one\n'],
    ],
    'fatal\none\n',
    '[pod/a/app] fatal\n[pod/a/app] one\n',
  ],
  [
    'lines of two pods',
    [
      ['a', 0, 'one\nfat'],
      ['b', 0, 'two\n'],
      ['a', 0, 'al\n'],
    ],
    'one\nfat\ntwo\nal\n',
    '[pod/a/app] one\n[pod/a/app] fat\n[pod/b/app] two\n[pod/a/app] al\n',
  ],
];
for (const [title, parts, plain, prefixed] of cases) {
  for (const hasPrefix of [false, true]) {
    test(`prints ${title} ${hasPrefix ? 'with' : 'without'} the name of the container`, (t) => {
      const print = logPrinter({ hasPrefix, isTerminal: false });
      const printed = Buffer.concat(parts.map((part) => print(recordOf(part))));
      t.is(printed.toString(), hasPrefix ? prefixed : plain);
    });
  }
}

test('bytes that are not UTF-8 are printed as they are, but not to a terminal', (t) => {
  const record = { ...recordOf(['a', 0, '']), bytes: Buffer.from([0xff, 0x1b, 0x0a]) };
  t.deepEqual(Buffer.from(logPrinter({ hasPrefix: false, isTerminal: false })(record)), record.bytes);
  const shown = Buffer.from(logPrinter({ hasPrefix: false, isTerminal: true })(record));
  t.false(shown.includes(0x1b));
});
