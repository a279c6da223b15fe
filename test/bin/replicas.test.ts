import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import test from 'ava';
import { agentOf } from '../../src/compose/agent-of.ts';
import { type CommandEvent, ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import { recordingLog } from '../agent/support/log.ts';
import { tokensOf } from '../control-plane/support/credentials.ts';
import { temporaryFile } from '../control-plane/support/file.ts';
import { eventually } from '../support/eventually.ts';
import { agentId, answerOf, exampleCharts, startWorld, waiting } from './support/world.ts';

const election = { leaseDuration: 4000, renewDeadline: 3000, retryPeriod: 200 };
const times = { backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 }, deliveryMs: 2000 };
const slow = { releaseName: 'shop', namespace: 'shop', chartName: 'web', values: 'args: [serve, -after, 60s]\n' };

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  return events;
}

test('a replica that waits continues the commands of the one that stops', async (t) => {
  const world = await startWorld({ journal: 'cluster', election, times });
  t.teardown(() => world.close());
  const { log, lines } = recordingLog();
  const second = await agentOf({
    ...{ agentId, cluster: { text: world.kubeconfig }, journal: 'cluster', election, times, log },
    ...{ controlPlaneUrl: `ws://127.0.0.1:${world.port}`, localCharts: exampleCharts },
  });
  t.teardown(() => second.stop());
  const command = world.plane.install(agentId, slow);
  await waiting(command);
  t.true(second.isReady());
  t.false(lines.join('').includes('this process leads'));
  await world.agent.stop();
  await answerOf(command);
  const events = await eventsOf(command);
  t.is(events.filter(({ type }) => type === 'result').length, 1);
  t.true(events.some(({ type, payload }) => type === 'accepted' && 'resumed' in payload));
  t.true(lines.join('').includes('this process leads'));
});

test('a leader that loses the Lease parks its commands, and continues them when it leads again', async (t) => {
  const world = await startWorld({ journal: 'cluster', election, times });
  t.teardown(() => world.close());
  const command = world.plane.install(agentId, slow);
  await waiting(command);
  const [lease] = await world.cluster.list({
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default' },
    labelSelector: 'app.kubernetes.io/managed-by=helm-agent',
  });
  const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: 'default', name: '' };
  const spec = { holderIdentity: 'another', leaseDurationSeconds: 1 };
  await world.cluster.mergePatch({ ...ref, name: lease?.metadata.name ?? '' }, { spec });
  await answerOf(command);
  const events = await eventsOf(command);
  t.deepEqual(
    events.filter(({ type }) => type === 'result').map(({ payload }) => 'ok' in payload && payload.ok),
    [true],
  );
  t.true(events.some(({ type, payload }) => type === 'accepted' && 'resumed' in payload));
  t.regex(world.lines.join(''), /lost the lead; operations are parked/);
});

test('the agent of a copied cluster is refused while that of the original works, and works after it', async (t) => {
  const plane = new ControlPlane({ authenticate: tokensOf({ [agentId]: 'one' }), takeoverMs: 500 });
  t.teardown(() => plane.close());
  const tokenFile = await temporaryFile(t);
  await writeFile(tokenFile, 'one');
  const controlPlaneUrl = `ws://127.0.0.1:${await plane.listen(0)}`;
  const setup = { journal: 'cluster', election, times, controlPlaneUrl, tokenFile } as const;
  const original = await startWorld(setup);
  t.teardown(() => original.close());
  const { instanceId } = await plane.waitForAgent(agentId, AbortSignal.timeout(55_000));
  const refused = once(plane, 'copy');
  const copy = await startWorld(setup);
  t.teardown(() => copy.close());
  await refused;
  t.is(plane.agents()[0]?.instanceId, instanceId);
  t.not(plane.knownAgents()[0]?.copyRefusedAt, undefined);
  await original.agent.stop();
  await eventually('the copy is connected', () => ![undefined, instanceId].includes(plane.agents()[0]?.instanceId));
});
