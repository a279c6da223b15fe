import { once } from 'node:events';
import { request } from 'node:http';
import test from 'ava';
import { Arrivals } from '../../src/control-plane/arrivals.ts';
import { eventually } from '../support/eventually.ts';
import { testPlane } from './support/plane.ts';
import { type RawAgent, rawAgent } from './support/raw-agent.ts';

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
  t.deepEqual([waits[0], waits.at(-1)], [1, 19]);
  const ofEach = Map.groupBy(waits, (wait) => wait);
  t.true([...ofEach.values()].every(({ length }) => length <= 500));
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
  t.deepEqual([waits[0], waits.at(-1)], [1, 23], 'a quarter of the rate');
  greeting--;
  t.is(arrivals.wait(), undefined);
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
  t.is(headers['retry-after'], '20');
  const next = Number((await refusedBy(port)).headers['retry-after']);
  t.true(next > 20 && next <= 40, String(next));
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
