import test from 'ava';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { Cluster } from '../../src/objects/cluster.ts';

const kubeconfig = JSON.stringify({
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'team' } }],
  'current-context': 'x',
});

test('a connected cluster is what an operation asks for', async (t) => {
  const connected: KubeCluster = connectCluster({ text: kubeconfig });
  const asked: Cluster = connected; // compiles only while both sides describe the same thing
  t.is(typeof asked.observe, 'function');
  t.is(connected.namespace, 'team');
  await connected.close();
});
