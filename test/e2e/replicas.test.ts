import test from 'ava';
import type { SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { crashWorld, statuses } from '../bin/support/crash-world.ts';
import { answerOf } from '../bin/support/world.ts';
import { kubeconfigText } from './real-cluster.ts';

/** The lease duration, and the longest time until the next attempt of the other replica. */
const takeoverMs = 15_000 + 4400;

/** Time for a process to connect and to read its journal, also on a busy machine. */
const startMs = 30_000;

test('two replicas: ten installs end although the leader is killed in the middle of them', async (t) => {
  t.timeout(600_000, 'a busy machine');
  const prefix = uniqueName('e2e-replicas');
  const admin = connectCluster({ text: kubeconfigText() });
  t.teardown(() => admin.close());
  const names = Array.from({ length: 10 }, (_, index) => String(index));
  const all = [prefix, ...names.flatMap((name) => [`${prefix}-whole-${name}`, `${prefix}-killed-${name}`])];
  t.teardown(async () => {
    for (const name of all) await admin.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  });
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: prefix } });
  const world = await crashWorld({
    kubeconfig: kubeconfigText(),
    agentNamespace: prefix,
    args: ['--leader-elect'],
  });
  t.teardown(() => world.close());
  const leader = await world.start();
  await world.start(); // it waits to lead
  const installs = (kind: string): SentCommand[] =>
    names.map((name) =>
      world.plane.install(world.agentId, {
        releaseName: 'web',
        chartName: 'web',
        namespace: `${prefix}-${kind}-${name}`,
      }),
    );

  const startedWhole = performance.now();
  for (const command of installs('whole')) await answerOf(command);
  const ownMs = performance.now() - startedWhole;

  const startedKilled = performance.now();
  const commands = installs('killed');
  await Promise.all(commands.map((command) => statuses(command, 1)));
  leader.kill('SIGKILL');
  for (const command of commands) await answerOf(command);
  const killedMs = performance.now() - startedKilled;
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  t.log(`ten installs: ${seconds(ownMs)} s; with a killed leader: ${seconds(killedMs)} s`);
  t.true(killedMs <= takeoverMs + startMs + ownMs * 2, `${killedMs} ms`);
  for (const name of names) {
    const [whole, killed] = [`${prefix}-whole-${name}`, `${prefix}-killed-${name}`];
    t.deepEqual(await world.left(killed), await world.left(whole));
    t.deepEqual(world.jobs(killed), world.jobs(whole), 'each hook runs once');
  }
});
