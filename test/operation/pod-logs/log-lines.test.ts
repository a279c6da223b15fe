import test from 'ava';
import { LogLines, type LogPosition, sinceOf, utcTime } from '../../../src/operation/pod-logs/log-lines.ts';
import fc from '../../support/fast-check.ts';

const stamp = (second: number, nanos = 0) =>
  `2026-01-01T10:00:${String(second).padStart(2, '0')}.${String(nanos).padStart(9, '0')}Z`;

/** Returns what is read of a log in chunks of a size. */
function readIn(log: string | Buffer, size: number, lines = new LogLines(), isEnd = true): string {
  const bytes = Buffer.from(log);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(lines.push(bytes.subarray(at, at + size)));
  if (isEnd) parts.push(lines.end());
  return Buffer.concat(parts).toString('latin1');
}

test('takes the times from lines, wherever chunks end, and keeps the end without a line break', (t) => {
  const log = `${stamp(1)} one\n${stamp(2)} \nno time\n${stamp(3)} \xff\xfe`;
  const expected = 'one\n\nno time\n\xff\xfe';
  for (const size of [1, 2, 7, 1000]) t.is(readIn(Buffer.from(log, 'latin1'), size), expected);
});

test('keeps the times if they are wanted', (t) => {
  const log = `${stamp(1)} one\n${stamp(2)} two`;
  t.is(readIn(log, 5, new LogLines({ timestamps: true })), log);
});

test('holds an incomplete line back until the log has ended', (t) => {
  const lines = new LogLines();
  t.is(readIn(`${stamp(1)} one\n${stamp(2)} tw`, 100, lines, false), 'one\n');
  t.like(lines.position, { time: stamp(1), lines: 1 });
});

test('a long line is passed on in parts, in bounded memory', (t) => {
  const lines = new LogLines();
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let length = lines.push(Buffer.from(`${stamp(1)} `)).length;
  for (let count = 0; count < 64; count++) {
    const part = lines.push(chunk);
    t.true(part.length <= 2 * chunk.length);
    length += part.length;
  }
  t.true(64 * chunk.length - length <= 64 * 1024);
  const { position } = lines;
  t.is(position.bytes, length);
  // continues in the middle of the line
  const rest = new LogLines({ position });
  const log = `${stamp(1)} ${'x'.repeat(64 * chunk.length)}end\n`;
  t.is(readIn(log, 64 * 1024, rest), `${'x'.repeat(64 * chunk.length - length)}end\n`);
});

test('small chunks of a long line take linear time', (t) => {
  const chunk = Buffer.from('x'.repeat(10));
  const lines = new LogLines();
  const before = performance.now();
  for (let count = 0; count < 200_000; count++) lines.push(chunk);
  t.true(performance.now() - before < 5000);
});

test('lines of one stream that are a little older than those of the other are not lost', (t) => {
  const log = [`${stamp(5, 9)} a\n`, `${stamp(5, 3)} b\n`, `${stamp(6, 2)} c\n`, `${stamp(5, 8)} d\n`];
  for (let cut = 0; cut <= log.length; cut++) {
    const first = new LogLines();
    const read = readIn(log.slice(0, cut).join(''), 1000, first);
    t.is(read + readIn(log.join(''), 1000, new LogLines({ position: first.position })), 'a\nb\nc\nd\n');
  }
});

test('continues with the first line that is left if the log was rotated', (t) => {
  const first = new LogLines();
  readIn(`${stamp(5, 1)} a\n${stamp(5, 2)} b\n`, 1000, first);
  const { position } = first;
  t.is(readIn(`${stamp(5, 2)} b\n${stamp(5, 3)} c\n`, 1000, new LogLines({ position })), 'c\n');
  t.is(readIn(`${stamp(5, 3)} c\n`, 1000, new LogLines({ position })), 'c\n');
});

test('the lines before a tail stay left out when it is continued', (t) => {
  const log = [1, 2, 3, 4].map((nanos) => `${stamp(5, nanos)} ${nanos}\n`);
  const first = new LogLines({ startsAtFirst: true });
  t.is(readIn(log.slice(2).join(''), 1000, first), '3\n4\n');
  const more = `${log.join('')}${stamp(5, 5)} 5\n`;
  t.is(readIn(more, 1000, new LogLines({ position: first.position })), '5\n');
});

test('a log that is cut anywhere, any number of times, loses and repeats nothing', (t) => {
  const line = fc.record({
    step: fc.constantFrom(0, 1, 400_000_000, 1_700_000_000),
    text: fc.string({ maxLength: 12 }),
  });
  const whole = (lines: Array<{ step: number; text: string }>) => {
    let nanos = 0;
    return lines.map(({ step, text }) => {
      nanos += step;
      const content = text.replaceAll('\n', '');
      return { time: stamp(Math.floor(nanos / 1e9) % 60, nanos % 1e9), content };
    });
  };
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 30 }),
      fc.array(fc.nat(400), { maxLength: 5 }),
      fc.integer({ min: 1, max: 50 }),
      (given, cuts, size) => {
        const log = whole(given);
        const shown = (since: string | undefined) =>
          log
            .filter(({ time }) => since === undefined || time >= since.replace('Z', ''))
            .map(({ time, content }) => `${time} ${content}\n`)
            .join('');
        let position: LogPosition | undefined;
        let read = '';
        for (const cut of cuts) {
          const lines = new LogLines({ position });
          const bytes = Buffer.from(shown(position && sinceOf(position)));
          read += readIn(bytes.subarray(0, cut), size, lines, false);
          ({ position } = lines);
        }
        read += readIn(shown(position && sinceOf(position)), size, new LogLines({ position }));
        t.is(read, Buffer.from(log.map(({ content }) => `${content}\n`).join('')).toString('latin1'));
      },
    ),
    { numRuns: 300 },
  );
});

test('a time of another zone is one in UTC', (t) => {
  t.is(utcTime('2026-01-01T12:00:05.5+02:00'), '2026-01-01T10:00:05.500000000Z');
  t.is(utcTime('no time'), undefined);
});
