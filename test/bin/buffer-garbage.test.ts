import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { freeBuffersEarly, passesBytes } from '../../src/bin/buffer-garbage.ts';

/** A program that counts how often all objects are marked while it allocates 2 GiB in buffers. */
const counting = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { setImmediate as nextTurn } from 'node:timers/promises';
  import { freeBuffersEarly } from ${JSON.stringify(new URL('../../src/bin/buffer-garbage.ts', import.meta.url).href)};
  const isKnown = process.argv[1] === 'late' || freeBuffersEarly();
  let marked = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) marked++;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let count = 0; count < 32_768; count++) {
    Buffer.allocUnsafeSlow(64 * 1024);
    if (count % 64 === 0) await nextTurn();
  }
  await nextTurn();
  console.log(isKnown ? marked : 'unknown');
`;

/**
 * Returns how often all objects are marked, in a process of its own, because other work marks them,
 * too. `NaN` if the version of V8 is not known.
 */
async function marks(when: 'early' | 'late'): Promise<number> {
  const args = ['--input-type=module', '--eval', counting, when];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: {} });
  return Number(stdout);
}

test('the memory of buffers is freed without looking at all objects', async (t) => {
  const [early, late] = [await marks('early'), await marks('late')];
  if (Number.isNaN(early)) {
    t.pass('this version of V8 is not known');
    return;
  }
  t.log(`all objects were marked ${early} times, and ${late} times without the flag`);
  t.true(early * 3 <= late);
});

test('no flag is set on a version of V8 that is not known', (t) => {
  t.false(freeBuffersEarly('14.1.0'));
});

test('only commands that pass bytes on change the flags of V8', (t) => {
  const commands = [
    ['run', '--listen', '8089'],
    ['control-plane'],
    ['ctl', 'exec', 'pod'],
    ['ctl', 'cp'],
    ['ctl', 'logs'],
  ];
  for (const args of commands) t.true(passesBytes(args), args.join(' '));
  for (const args of [['helm', 'list'], ['ctl', 'list'], ['ctl'], ['exec'], []])
    t.false(passesBytes(args), args.join(' '));
});
