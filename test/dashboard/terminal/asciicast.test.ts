import test from 'ava';
import { readRecording, withoutPauses } from '../../../src/dashboard/terminal/asciicast.ts';

const header = '{"version":2,"width":80,"height":24}\n';

/** Yields a text in parts of some bytes. */
async function* chunksOf(text: string, size = 7) {
  const bytes = new TextEncoder().encode(text);
  for (let start = 0; start < bytes.length; start += size) {
    yield await Promise.resolve(bytes.subarray(start, start + size));
  }
}

test('a recording is read from chunks that cut lines and characters', async (t) => {
  const lines = ['[0.5,"o","héllo \\u001b[1m✓"]', '[1,"r","100x30"]', '[1.5,"m","kim has joined"]'];
  t.deepEqual(await readRecording(chunksOf(header + lines.join('\n'))), {
    size: { columns: 80, rows: 24 },
    events: [
      { at: 500, type: 'output', text: 'héllo \u001b[1m✓' },
      { at: 1000, type: 'size', size: { columns: 100, rows: 30 } },
      { at: 1500, type: 'mark', text: 'kim has joined' },
    ],
    isCut: false,
  });
});

test('lines that are not events are left out, and times never go back', async (t) => {
  const lines = ['[2,"o","a"]', '{}', '[null,"o","b"]', '[1e999,"o","b"]', '[3,"r","99999x1"]', '[1,"o","c"]', '[4,"o'];
  const { events } = await readRecording(chunksOf(header + lines.join('\n')));
  t.deepEqual(events, [
    { at: 2000, type: 'output', text: 'a' },
    { at: 2000, type: 'output', text: 'c' },
  ]);
});

test('a recording that is too long is cut, and one without a header is refused', async (t) => {
  const long = await readRecording(chunksOf(header + '[1,"o","x"]\n'.repeat(1000)), { bytes: 200, events: 100 });
  t.true(long.isCut && long.events.length < 20);
  await t.throwsAsync(readRecording(chunksOf('')), { message: /empty/ });
  await t.throwsAsync(readRecording(chunksOf('[1,"o","x"]\n')), { message: /not asciicast/ });
  await t.throwsAsync(readRecording(chunksOf('null\n')), { message: /not asciicast/ });
});

test('long pauses are made short, and short ones stay', (t) => {
  const at = (times: number[]) => times.map((time) => ({ at: time, type: 'mark', text: '' }) as const);
  t.deepEqual(withoutPauses(at([500, 60_000, 60_400, 90_000])), at([500, 1500, 1900, 2900]));
});
