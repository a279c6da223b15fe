import test from 'ava';
import { writeCharts } from '../../benchmarks/bench-chart.ts';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { faultyWorld } from './support/faulty-world.ts';
import { agentId, answerOf } from './support/world.ts';

/** Names of the Secrets of the journal. */
const journal = /\/secrets\/helm-agent\.|\/namespaces\/default\/secrets\?/;

test('an installation of 4 objects takes 11 requests, and 3 more for a journal in the cluster', async (t) => {
  const { plane, api } = await faultyWorld(t, { random: () => 0.5, writeCharts });
  const chart = { namespace: 'counted', chartName: 'small' };
  await answerOf(plane.install(agentId, { ...chart, releaseName: 'warm' }));
  const requestsOf = async (command: SentCommand) => {
    const before = api.requests.length;
    await answerOf(command);
    return api.requests.slice(before);
  };
  const writes = (requests: readonly string[]) => requests.filter((request) => journal.test(request)).length;
  const release = { ...chart, releaseName: 'one' };

  const install = await requestsOf(plane.install(agentId, { ...release, createNamespace: false }));
  t.deepEqual([install.length, writes(install)], [14, 3], install.join('\n'));
  const upgrade = await requestsOf(plane.upgrade(agentId, release));
  t.is(writes(upgrade), 3);
  const uninstall = await requestsOf(plane.uninstall(agentId, { namespace: 'counted', releaseName: 'one' }));
  t.is(writes(uninstall), 3);
});
