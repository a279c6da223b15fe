import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { CommandHandlers } from '../../src/agent/commands/command-handler.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import { randomOf } from '../../tools/fuzz/random.ts';
import { testAgent } from '../agent/support/agent.ts';
import { FaultProxy, faults } from '../agent/support/fault-proxy.ts';
import { PuppetHandlers } from '../agent/support/handlers.ts';
import { testRelease } from '../agent/support/release.ts';
import { testPlane } from './support/plane.ts';

// `npm run test:network` sends 1,000
const count = Number(process.env['NETWORK_COMMANDS'] ?? 100);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));

/** Number of commands that run or wait at a time. */
const mostRunning = 40;

const heartbeat = { pingIntervalMs: 300, silenceLimitMs: 1500 };

test(`each of ${count} commands is performed once, and its packets arrive once and in order, over a bad network`, async (t) => {
  t.timeout(60_000 + count * 500, 'a busy machine');
  t.log(`SEED=${seed}`);
  const random = randomOf(seed);
  const { plane, port } = await testPlane(t, { heartbeat });
  const proxy = await FaultProxy.start(port, () => random.below(2 ** 32) / 2 ** 32);
  t.teardown(() => proxy.stop());

  const performed: string[] = [];
  const finished: string[] = [];
  const journal = createMemoryJournal();
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async install_release({ releaseName }, context) {
      performed.push(releaseName);
      for (let step = 0; step < 3; step++) {
        context.progress({ step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', message: `step ${step}` });
        await sleep(step);
      }
      return { release: testRelease(releaseName) };
    },
  };
  await testAgent(t, {
    controlPlaneUrl: `ws://127.0.0.1:${proxy.port}`,
    handlers,
    journal: {
      ...journal,
      finish(key, outcome) {
        finished.push(key);
        return journal.finish(key, outcome);
      },
    },
    times: { heartbeat, handshakeTimeoutMs: 1500 },
  });

  const keys = Array.from({ length: count }, (_, index) => `command-${index + 1}`);
  const ended: string[] = [];
  const events = new Map<string, string[]>();
  const running = new Set<Promise<void>>();
  for (const key of keys) {
    await plane.waitForAgent('edge-1');
    const command = plane.install('edge-1', { releaseName: key, chartName: 'c' }, { key });
    const seen: string[] = [];
    events.set(key, seen);
    void command.result.then(() => ended.push(key));
    const reading = (async () => {
      for await (const { type, payload } of command) {
        if (type === 'agent' || ('step' in payload && payload.step === 'queue')) continue;
        seen.push(
          'message' in payload ? `${type} ${payload.message}` : 'ok' in payload ? `${type} ${payload.ok}` : type,
        );
      }
    })().finally(() => running.delete(reading));
    running.add(reading);
    if (running.size >= mostRunning) await Promise.race(running);
  }
  await Promise.all(running);

  t.deepEqual([...performed].sort(), [...keys].sort());
  t.deepEqual(ended, finished);
  const expected = ['accepted', 'status step 0', 'status step 1', 'status step 2', 'result true'];
  for (const [key, seen] of events) {
    t.deepEqual(seen, expected, key);
  }
  for (const fault of faults) t.log(`${fault}: ${proxy.injected.get(fault) ?? 0}`);
  t.true(proxy.injected.size > 1);
});
