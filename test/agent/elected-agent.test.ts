import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import type { Agent } from '../../src/agent/agent.ts';
import { startElectedAgent } from '../../src/agent/elected-agent.ts';
import type { Elector } from '../../src/leader-election/elector.ts';
import type { Term } from '../../src/leader-election/term.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from './support/log.ts';

/** An elector that leads when a test says so. */
function puppetElector() {
  const waiting: ((term: Term | undefined) => void)[] = [];
  const releases: string[] = [];
  const elector: Elector = {
    leader: '',
    isAlive: () => true,
    acquire: (signal) =>
      new Promise((resolve) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(undefined), { once: true });
      }),
  };
  /** Lets the process lead. Returns a function that ends the term. */
  const lead = async (name: string) => {
    await eventually('the process waits for its turn', () => waiting.length > 0);
    const ended = new AbortController();
    const release = () => {
      releases.push(name);
      return Promise.resolve();
    };
    waiting.shift()?.({ signal: ended.signal, timeLeft: () => 1000, release });
    return () => ended.abort(new Error('lost'));
  };
  return { elector, lead, releases };
}

function fakeAgent(events: string[], name: string): Agent {
  return {
    port: undefined,
    healthPort: undefined,
    isReady: () => name !== 'disconnected',
    health: {
      live: () => [],
      ready: () => [{ name: 'control-plane', isOk: name !== 'disconnected' }],
    },
    stop() {
      events.push(`stop ${name}`);
      return Promise.resolve();
    },
  };
}

async function elected(t: ExecutionContext, names: string[]) {
  const { elector, lead, releases } = puppetElector();
  const events: string[] = [];
  const starts = new EventTarget();
  const agent = await startElectedAgent({
    elector,
    start() {
      const name = names.shift() ?? '';
      events.push(`start ${name}`);
      queueMicrotask(() => starts.dispatchEvent(new Event('start')));
      return Promise.resolve(fakeAgent(events, name));
    },
    slackMs: 1000,
    log: recordingLog().log,
  });
  t.teardown(() => agent.stop());
  const started = () => once(starts, 'start');
  return { agent, lead, releases, events, started };
}

test('an agent that waits to lead is ready, and one that leads when it is connected', async (t) => {
  const { agent, lead, started } = await elected(t, ['disconnected', 'connected']);
  t.true(agent.isReady());
  const first = started();
  const lose = await lead('first');
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  t.false(agent.isReady());
  const second = started();
  lose();
  await lead('second');
  await second;
  await new Promise((resolve) => setImmediate(resolve));
  t.true(agent.isReady());
});

test('an agent that has lost the lead is stopped, and a new one works when it leads again', async (t) => {
  const { lead, events, started } = await elected(t, ['a', 'b']);
  const first = started();
  const lose = await lead('first');
  await first;
  lose();
  const second = started();
  await lead('second');
  await second;
  t.deepEqual(events, ['start a', 'stop a', 'start b']);
});

test('the Lease is released after the agent has stopped', async (t) => {
  const { agent, lead, events, releases, started } = await elected(t, ['a']);
  const first = started();
  await lead('first');
  await first;
  t.deepEqual(releases, []);
  await agent.stop();
  t.deepEqual(events, ['start a', 'stop a']);
  t.deepEqual(releases, ['first']);
});

test('an agent that waits to lead stops at once', async (t) => {
  const { agent, events } = await elected(t, []);
  await agent.stop();
  t.deepEqual(events, []);
});
