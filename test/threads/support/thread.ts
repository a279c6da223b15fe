import { parentPort, threadId, workerData } from 'node:worker_threads';
import type { ThreadSetup } from '../../../src/threads/messages.ts';
import { serveTasks } from '../../../src/threads/serve-tasks.ts';
import type { TestTasks } from './tasks.ts';

if (parentPort === null) throw new Error('this module runs as a thread only');

const wait = new Int32Array(new SharedArrayBuffer(4));

// the pool gives its threads nothing else
serveTasks<TestTasks>(parentPort, workerData as ThreadSetup, {
  add: ({ a, b }) => a + b,
  block: ({ milliseconds, gate = wait }) => {
    Atomics.wait(gate, 0, 0, milliseconds);
    return threadId;
  },
  pause({ steps, milliseconds }, { supervisor }) {
    for (let step = 0; step < steps; step++) {
      const reason = supervisor.interruption(false);
      if (reason !== undefined) throw Object.assign(new Error(reason), { code: 'render_limit' });
      Atomics.wait(wait, 0, 0, milliseconds);
    }
    return steps;
  },
  step(_input, { supervisor }) {
    supervisor.enter('templates/loop.yaml');
    for (;;) {
      const reason = supervisor.interruption(false);
      if (reason !== undefined)
        throw Object.assign(new Error(reason), { code: 'render_limit', position: { file: 'a', line: 3 } });
    }
  },
  spin(_input, { supervisor }) {
    supervisor.enter('templates/spin.yaml');
    for (;;);
  },
  grow(_input, { supervisor }) {
    supervisor.enter('templates/grow.yaml');
    const lists: number[][] = [];
    for (;;) lists.push(Array.from({ length: 1000 }, (_, index) => index));
  },
  list({ parts }, { sendPart }) {
    for (let part = 0; part < parts; part++) sendPart(part);
    return parts;
  },
  fail: () => {
    throw Object.assign(new Error('wrong text'), { code: 'chart_invalid' });
  },
  break: () => {
    throw new TypeError('a defect');
  },
  breakLate(channel) {
    new BroadcastChannel(channel).onmessage = () => {
      throw new TypeError('a late defect');
    };
    return threadId;
  },
});
