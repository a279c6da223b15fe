import test from 'ava';
import { agentsOutput } from '../../../../src/cli/ctl/output/agents.ts';

const agents = [
  { agentId: 'a', version: '1', instanceId: 'i', connected: true, connectedAt: 'T1', cluster: { reachable: true } },
  {
    agentId: 'b',
    version: '1',
    connected: true,
    connectedAt: 'T2',
    cluster: { reachable: false, since: 'T3', reason: 'no\nroute\u202E' },
  },
  { agentId: 'c', connected: false, lastSeen: 'T4' },
  { agentId: 'd', connected: false, lastSeen: null, copyRefusedAt: 'T5' },
];

test('agents are listed with the state of their clusters, and those that are away', (t) => {
  t.deepEqual(agentsOutput(agents).table().split('\n'), [
    'AGENT  VERSION  INSTANCE  CONNECTED AT  COPY REFUSED AT  CLUSTER                          AWAY SINCE',
    'a      1        i         T1                             reachable',
    'b      1                  T2                             unreachable since T3: no route\uFFFD',
    'c                                                                                         T4',
    'd                                       T5                                                never seen',
    '',
  ]);
});
