import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { freeBuffersEarly, passesBytes } from '../../src/bin/buffer-garbage.ts';

type GarbageEntry = PerformanceEntry & { detail: { kind: number } };

test('the memory of buffers is freed without looking at all objects', async (t) => {
  if (!freeBuffersEarly()) {
    t.pass('this version of V8 is not known');
    return;
  }
  let marked = 0;
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as GarbageEntry[]; // it observes no others
    for (const { detail } of entries) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) marked++;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let count = 0; count < 16_384; count++) {
    Buffer.allocUnsafeSlow(64 * 1024);
    if (count % 64 === 0) await nextTurn();
  }
  await nextTurn();
  observer.disconnect();
  // without it, 15 times for this GiB
  t.true(marked <= 3, `all objects were marked ${marked} times`);
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
