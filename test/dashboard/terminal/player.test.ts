import test from 'ava';
import type { RecordedEvent } from '../../../src/dashboard/terminal/asciicast.ts';
import { Player } from '../../../src/dashboard/terminal/player.ts';

const events: readonly RecordedEvent[] = [
  { at: 0, type: 'output', text: 'a' },
  { at: 1000, type: 'output', text: 'b' },
  { at: 1500, type: 'size', size: { columns: 10, rows: 5 } },
  { at: 2000, type: 'output', text: 'c' },
  { at: 2000, type: 'mark', text: 'end' },
];

/** A player on a screen that keeps what it is given, with a clock of its own. */
function world() {
  const drawn: string[] = [];
  let now = 0;
  let frame: (() => void) | undefined;
  const player = new Player({
    screen: {
      write: async (data) => {
        drawn.push(String(data));
        await Promise.resolve();
      },
      resize: ({ columns, rows }) => drawn.push(`${columns}x${rows}`),
      reset: () => drawn.push('reset'),
    },
    recording: { size: { columns: 80, rows: 24 }, events },
    onChange: () => undefined,
    now: () => now,
    nextFrame(call) {
      frame = call;
      return () => (frame = undefined);
    },
  });
  /** Lets some milliseconds pass, and draws. */
  const pass = async (milliseconds: number) => {
    now += milliseconds;
    const call = frame;
    frame = undefined;
    call?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { player, drawn, pass };
}

test('a player draws what its time has reached, at its speed, and stops at the end', async (t) => {
  const { player, drawn, pass } = world();
  player.play();
  await pass(500);
  t.deepEqual(drawn, ['80x24', 'a']);
  player.speed = 2;
  await pass(250);
  t.is(player.position, 1000);
  await pass(10_000);
  t.deepEqual(drawn, ['80x24', 'a', 'b', '10x5', 'c']);
  t.deepEqual([player.position, player.isPlaying, player.mark], [2000, false, 'end']);
  player.play();
  t.deepEqual(drawn.slice(-2), ['reset', '80x24']);
});

test('a player that is paused waits, and continues where it was', async (t) => {
  const { player, drawn, pass } = world();
  player.play();
  await pass(500);
  player.pause();
  await pass(60_000);
  t.is(player.position, 500);
  player.play();
  await pass(500);
  t.deepEqual(drawn, ['80x24', 'a', 'b']);
});

test('seeking back draws again from the beginning, and only the last of several positions', async (t) => {
  const { player, drawn, pass } = world();
  player.seek(5000);
  t.is(player.position, 2000);
  player.seek(1700);
  player.seek(1000);
  t.deepEqual(drawn, ['80x24', 'ab', '10x5', 'c'], 'the first one is not drawn yet');
  await pass(0);
  t.deepEqual(drawn.slice(4), ['reset', '80x24', 'ab']);
  t.deepEqual([player.position, player.mark], [1000, '']);
});
