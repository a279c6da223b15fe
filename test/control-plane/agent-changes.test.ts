import test from 'ava';
import { AgentChanges, type AgentEvent, type OneAgentEvent } from '../../src/control-plane/agent-changes.ts';
import type { KnownAgent } from '../../src/control-plane/known-agent.ts';
import { eventually } from '../support/eventually.ts';

function away(agentId: string, version = '1.0.0'): KnownAgent {
  return { agentId, connected: false, lastSeen: null, version };
}

function watch(agents: () => KnownAgent[], sees: (agentId: string) => boolean = () => true) {
  const gone = new AbortController();
  const events: AgentEvent[] = [];
  const changes = new AgentChanges({ agents, intervalMs: 1 });
  const ended = (async () => {
    for await (const event of changes.events(sees, gone.signal)) events.push(event);
  })();
  const stop = async () => {
    gone.abort();
    await ended;
  };
  return { events, stop };
}

test('all agents are sent in parts, and then those that change or are forgotten', async (t) => {
  let agents = Array.from({ length: 1200 }, (_, index) => away(`edge-${String(index).padStart(4, '0')}`));
  const { events, stop } = watch(() => agents);
  await eventually('all are sent', () => events.some(({ type }) => type === 'ready'));
  t.deepEqual(
    events.map((event) => (event.type === 'agents' ? event.payload.agents.length : event.type)),
    [500, 500, 200, 'ready'],
  );
  agents = agents.map((agent) => (agent.agentId === 'edge-0007' ? away('edge-0007', '2.0.0') : agent));
  await eventually('the change is sent', () => events.length === 5);
  t.deepEqual(events[4]?.payload, { agents: [away('edge-0007', '2.0.0')] });
  agents = agents.slice(1);
  await eventually('what is forgotten is sent', () => events.length === 6);
  t.deepEqual(events[5]?.payload, { agentIds: ['edge-0000'] });
  await stop();
});

test('a user gets events about the agents that the user sees, and no others', async (t) => {
  let version = '1.0.0';
  const { events, stop } = watch(
    () => [away('mine', version), away('other', version)],
    (agentId) => agentId === 'mine',
  );
  await eventually('all are sent', () => events.some(({ type }) => type === 'ready'));
  version = '2.0.0';
  await eventually('the change is sent', () => events.length === 3);
  t.false(JSON.stringify(events).includes('other'));
  await stop();
});

test('who watches one agent gets it with all fields, each time it changes, and learns that it is gone', async (t) => {
  let known: KnownAgent[] = [];
  let isSeen = true;
  const whole = (version: string): KnownAgent => ({
    ...{ agentId: 'mine', version, capabilities: ['list_releases'], instanceId: 'i', limits: { maxPacketBytes: 1 } },
    ...{ connected: true, connectedAt: '2026-01-01T00:00:00Z', lastSeen: '' },
  });
  const gone = new AbortController();
  const changes = new AgentChanges({ agents: () => [away('other'), ...known], intervalMs: 1 });
  const events = changes.eventsOf('mine', () => isSeen, gone.signal);
  const next = async (): Promise<OneAgentEvent | undefined> => {
    const result = await events.next();
    return result.done === true ? undefined : result.value;
  };
  t.like(await next(), { type: 'forgotten', payload: { agentIds: ['mine'] } });
  known = [whole('1.0.0')];
  t.deepEqual((await next())?.payload, whole('1.0.0'));
  known = [whole('2.0.0')];
  t.deepEqual((await next())?.payload, whole('2.0.0'));
  isSeen = false;
  t.like(await next(), { type: 'forgotten' });
  isSeen = true;
  t.deepEqual((await next())?.payload, whole('2.0.0'));
  known = [];
  t.like(await next(), { type: 'forgotten' });
  const end = events.next();
  gone.abort();
  t.true((await end).done);
});

test('the present time of a connected agent is no change, and all who watch share the comparison', async (t) => {
  let looks = 0;
  const agents = (): KnownAgent[] => {
    looks++;
    const about = {
      agentId: 'edge',
      version: '1.0.0',
      capabilities: ['list_releases'],
      instanceId: 'i',
      limits: { maxPacketBytes: 1 },
    };
    return [{ ...about, connected: true, connectedAt: '2026-01-01T00:00:00Z', lastSeen: `${looks}` }];
  };
  let time = 0;
  const changes = new AgentChanges({ agents, intervalMs: 10, now: () => time });
  const gone = new AbortController();
  const readers = Array.from({ length: 5 }, () => changes.events(() => true, gone.signal));
  for (const reader of readers) t.like(await reader.next(), { value: { type: 'agents' } });
  t.is(looks, 1);
  for (const reader of readers) t.like(await reader.next(), { value: { type: 'ready' } });
  const next = readers.map(async (reader) => (await reader.next()).done);
  time = 1000;
  await eventually('the agents were looked at again', () => looks > 1);
  gone.abort();
  t.deepEqual(await Promise.all(next), [true, true, true, true, true]);
});
