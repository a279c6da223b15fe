import { once } from 'node:events';
import { request } from 'node:http';
import test from 'ava';
import { Arrivals } from '../../src/control-plane/arrivals.ts';
import { eventually } from '../support/eventually.ts';
import { testPlane } from './support/plane.ts';
import { type RawAgent, rawAgent } from './support/raw-agent.ts';

interface Fleet {
  agents: number;
  /** Seconds over which they come for the first time. */
  spread: number;
  /** Number of agents whose `hello` the control plane processes in a second. */
  capacity: number;
  /** Seconds from the connection to the `hello` at least. */
  helloSeconds?: number;
}

/**
 * Returns when the agents have said `hello`, in seconds, and how often they came in vain, which
 * costs the control plane a quarter of the work for a `hello`.
 */
function arrivalsOf({ agents, spread, capacity, helloSeconds = 0 }: Fleet): { greeted: number[]; refused: number } {
  let [now, refused, work, seed] = [0, 0, 0, 1];
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  /** Number of agents that come, by the hundredth of a second. */
  const due = new Map<number, number>();
  const come = (at: number) => due.set(Math.ceil(at * 100), (due.get(Math.ceil(at * 100)) ?? 0) + 1);
  for (let agent = 0; agent < agents; agent++) come(random() * spread + 0.01);
  /** When those came that have not said `hello`. */
  const greeting: number[] = [];
  const greeted: number[] = [];
  const arrivals = new Arrivals({ perSecond: 500, greeting: () => greeting.length, monotonic: () => now * 1000 });
  for (let tick = 1; greeted.length < agents && tick < 30_000; tick++) {
    now = tick / 100;
    for (let left = due.get(tick) ?? 0; left > 0; left--) {
      const wait = arrivals.wait();
      if (wait === undefined) {
        arrivals.add();
        greeting.push(now);
        continue;
      }
      refused++;
      work -= 0.25;
      come(now + wait * (1 + random()));
    }
    work = Math.min(work + capacity / 100, capacity);
    const ready = greeting.filter((at) => now - at >= helloSeconds).length;
    const processed = Math.max(0, Math.min(ready, Math.floor(work)));
    work -= processed;
    greeting.splice(0, processed);
    for (let index = 0; index < processed; index++) greeted.push(now);
  }
  return { greeted, refused };
}

const comesBack = test.macro({
  title: (_, fleet: Fleet, seconds: number) =>
    `${fleet.agents} agents that come within ${fleet.spread} s, ${fleet.helloSeconds ?? 0} s before their hello, to a control plane for ${fleet.capacity} in a second are back within ${seconds} s`,
  exec(t, fleet: Fleet, seconds: number) {
    const { greeted, refused } = arrivalsOf(fleet);
    t.is(greeted.length, fleet.agents);
    const last = greeted.at(-1) ?? Infinity;
    t.true(last <= seconds, `the last one after ${last} s`);
    t.true(refused <= fleet.agents * 3, `${refused} were refused`);
  },
});

test(comesBack, { agents: 10_000, spread: 20, capacity: 1000 }, 25);
test(comesBack, { agents: 10_000, spread: 20, capacity: 300 }, 55);
test(comesBack, { agents: 3000, spread: 6, capacity: 60 }, 85);
test(comesBack, { agents: 10_000, spread: 20, capacity: 1000, helloSeconds: 1 }, 60);
test(comesBack, { agents: 10_000, spread: 0, capacity: 300 }, 100);

test('a fleet that arrives at once is spread over the time that the rate needs', (t) => {
  let now = 5000;
  const arrivals = new Arrivals({ perSecond: 500, greeting: () => 0, monotonic: () => now });
  const waits: number[] = [];
  for (let agent = 0; agent < 10_000; agent++) {
    const wait = arrivals.wait();
    if (wait === undefined) arrivals.add();
    else waits.push(wait);
  }
  t.is(waits.length, 9500);
  t.deepEqual([waits[0], waits.at(-1)], [1, 13], 'on average, agents wait half as long again');
  const ofEach = Map.groupBy(waits, (wait) => wait);
  t.true([...ofEach.values()].every(({ length }) => length <= 750));
  now += 1000;
  t.is(arrivals.wait(), undefined);
});

test('no agent is asked to wait for more than a minute, however many there are', (t) => {
  const arrivals = new Arrivals({ perSecond: 1, greeting: () => 0, monotonic: () => 0 });
  arrivals.add();
  const waits = Array.from({ length: 100_000 }, () => arrivals.wait() ?? 0);
  t.is(Math.max(...waits), 60);
});

test('no more agents connect while many have not said hello, and they are asked to come later', (t) => {
  let greeting = 0;
  const arrivals = new Arrivals({ perSecond: 500, greeting: () => greeting, monotonic: () => 0 });
  const waits: number[] = [];
  for (let agent = 0; agent < 3000; agent++) {
    const wait = arrivals.wait();
    if (wait === undefined) greeting++;
    else waits.push(wait);
  }
  t.is(greeting, 200);
  t.deepEqual([waits[0], waits.at(-1)], [1, 9], 'a quarter of the rate, a bit faster');
  greeting--;
  t.is(arrivals.wait(), undefined);
});

test('agents that never say hello do not make others wait for longer than a tenth of the rate needs', (t) => {
  let [now, greeting] = [0, 0];
  const arrivals = new Arrivals({ perSecond: 500, greeting: () => greeting, monotonic: () => now });
  for (; greeting < 200; greeting++) arrivals.add();
  for (; now < 30_000; now += 500) arrivals.wait();
  const [first = 0, ...others] = Array.from({ length: 751 }, () => arrivals.wait() ?? 0);
  t.is((others.at(-1) ?? 0) - first, Math.floor(750 / (50 * 1.75) / 1.5));
});

const welcomeOf = ({ packets }: RawAgent) =>
  JSON.parse(packets.find(({ type }) => type === 'welcome')?.payload ?? '{}') as Record<string, unknown>;

/** Returns the response to a handshake that is refused. */
async function refusedBy(port: number) {
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    ...{ 'sec-websocket-key': Buffer.alloc(16).toString('base64'), 'sec-websocket-protocol': 'helm-agent.v1' },
  };
  const sent = request({ port, host: '127.0.0.1', headers }).end();
  const [response] = (await once(sent, 'response')) as [{ statusCode: number; headers: Record<string, string> }];
  sent.destroy();
  return response;
}

test('an agent beyond the rate gets the time at which to come', async (t) => {
  const { agentUrl, port } = await testPlane(t, { limits: { arrivals: 0.05 } });
  await rawAgent(agentUrl);
  const { statusCode, headers } = await refusedBy(port);
  t.is(statusCode, 503);
  t.is(headers['retry-after'], '14', 'it waits up to twice as long');
  const next = Number((await refusedBy(port)).headers['retry-after']);
  t.true(next > 14 && next <= 27, String(next));
});

test('strangers do not take the places of agents', async (t) => {
  const { plane, agentUrl, port } = await testPlane(t, {
    limits: { arrivals: 0.05 },
    authenticate: ({ headers }) =>
      Promise.resolve(headers.authorization === 'Bearer right' ? { agentId: 'edge-1' } : undefined),
  });
  for (let attempt = 0; attempt < 20; attempt++) t.is((await refusedBy(port)).statusCode, 401);
  await rawAgent(agentUrl, {}, 'right');
  await t.notThrowsAsync(eventually('the agent is connected', () => plane.agents().length === 1));
});

test('only an agent that knows the pace gets it', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { heartbeat: { pingIntervalMs: 7000, silenceLimitMs: 14_000 } });
  const older = await rawAgent(agentUrl, { agentId: 'older' });
  t.false('pace' in welcomeOf(older));
  for (let agent = 0; agent < 3; agent++) await rawAgent(agentUrl, { agentId: `edge-${agent}` });
  const paced = await rawAgent(agentUrl, { agentId: 'paced', pace: true });
  t.deepEqual(welcomeOf(paced)['pace'], { heartbeat: 7, spread: plane.agents().length / 500 });
});
