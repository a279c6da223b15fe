import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { CommandEvent, SentCommand } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { type CrashWorld, crashWorld, kill } from '../bin/support/crash-world.ts';
import { randomOf, seedOf } from '../support/random.ts';
import { kubeconfigText } from './real-cluster.ts';

type Send = (world: CrashWorld, namespace: string) => SentCommand;

const chart = { releaseName: 'web', chartName: 'web' };
const fails = 'fails: true\n';
const changed = 'greeting: good morning\n';

const install: Send = ({ plane, agentId }, namespace) => plane.install(agentId, { ...chart, namespace });
const upgrade: Send = ({ plane, agentId }, namespace) =>
  plane.upgrade(agentId, { ...chart, namespace, values: changed });

/** Commands on a release, of which the last one is interrupted. */
const scenarios: Readonly<Record<string, { before: readonly Send[]; interrupted: Send }>> = {
  install: { before: [], interrupted: install },
  'failing-atomic-install': {
    before: [],
    interrupted: ({ plane, agentId }, namespace) => plane.install(agentId, { ...chart, namespace, values: fails }),
  },
  'failing-install': {
    before: [],
    interrupted: ({ plane, agentId }, namespace) =>
      plane.install(agentId, { ...chart, namespace, values: fails, atomic: false }),
  },
  upgrade: { before: [install], interrupted: upgrade },
  'failing-atomic-upgrade': {
    before: [install],
    interrupted: ({ plane, agentId }, namespace) => plane.upgrade(agentId, { ...chart, namespace, values: fails }),
  },
  'failing-upgrade-with-cleanup': {
    before: [install],
    interrupted: ({ plane, agentId }, namespace) =>
      plane.upgrade(agentId, { ...chart, namespace, values: fails, atomic: false, cleanupOnFail: true }),
  },
  rollback: {
    before: [install, upgrade],
    interrupted: ({ plane, agentId }, namespace) => plane.rollback(agentId, { releaseName: 'web', namespace }),
  },
  uninstall: {
    before: [install],
    interrupted: ({ plane, agentId }, namespace) => plane.uninstall(agentId, { releaseName: 'web', namespace }),
  },
  'uninstall-with-history': {
    before: [install],
    interrupted: ({ plane, agentId }, namespace) =>
      plane.uninstall(agentId, { releaseName: 'web', namespace, keepHistory: true }),
  },
  test: {
    before: [install],
    interrupted: ({ plane, agentId }, namespace) => plane.test(agentId, { releaseName: 'web', namespace }),
  },
};

/**
 * Rounds, in each of which all scenarios are interrupted. A round takes minutes: `CRASH_ROUNDS=3`
 * runs all, and one runs by default.
 */
const rounds = ['random moments', 'step boundaries', 'more random moments'].slice(
  0,
  Number(process.env['CRASH_ROUNDS'] ?? 1),
);

/** More kills than the longest scenario needs. */
const maxKills = 3;

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events: CommandEvent[] = [];
  for await (const event of command) events.push(event);
  return events;
}

/** Resolves when one of the commands ends a step, or when all have ended. */
async function stepEnd(commands: readonly SentCommand[]): Promise<void> {
  const ended = new AbortController();
  const seen = new Map(commands.map((command) => [command, 0]));
  await Promise.race(
    commands.map(async (command) => {
      for await (const { type, payload } of command) {
        if (ended.signal.aborted) return;
        const count = (seen.get(command) ?? 0) + 1;
        seen.set(command, count);
        if (type === 'status' && 'state' in payload && payload.state === 'done' && count > 3) return;
      }
    }),
  );
  ended.abort();
}

test('commands on a real cluster have one effect and one result, whenever the agent is killed', async (t) => {
  t.timeout(rounds.length * 900_000, 'a busy machine');
  const seed = seedOf(process.env);
  t.log(`SEED=${seed}`);
  const random = randomOf(seed);
  const prefix = uniqueName('e2e-crash');
  const admin = connectCluster({ text: kubeconfigText() });
  t.teardown(() => admin.close());
  const namespaces = new Set([prefix]);
  t.teardown(async () => {
    for (const name of namespaces) await admin.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  });
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: prefix } });
  const world = await crashWorld({ kubeconfig: kubeconfigText(), agentNamespace: prefix });
  t.teardown(() => world.close());
  const namespaceOf = (name: string, round: string | number) => {
    const namespace = `${prefix}-${name}-${round}`;
    namespaces.add(namespace);
    return namespace;
  };
  const prepare = async (round: string | number) => {
    await Promise.all(
      Object.entries(scenarios).map(async ([name, { before }]) => {
        for (const send of before) {
          const result = await send(world, namespaceOf(name, round)).result;
          t.true(result.ok, `before ${name}: ${JSON.stringify(result)}`);
        }
      }),
    );
  };
  const sent = (round: string | number) =>
    Object.entries(scenarios).map(([name, { interrupted }]) => interrupted(world, namespaceOf(name, round)));

  let child = await world.start();
  await prepare('whole');
  const whole = sent('whole');
  const expected = await Promise.all(
    whole.map(async (command, index) => {
      const { ok } = await command.result;
      const namespace = namespaceOf(Object.keys(scenarios)[index] ?? '', 'whole');
      return { ok, left: await world.left(namespace), jobs: world.jobs(namespace) };
    }),
  );

  for (const [round, title] of rounds.entries()) {
    await prepare(round);
    const commands = sent(round);
    for (let kills = 0; kills < maxKills && commands.some(({ state }) => state !== 'done'); kills++) {
      if (title === 'step boundaries') await stepEnd(commands.filter(({ state }) => state !== 'done'));
      else await sleep(500 + random() * 4000);
      await kill(world, child);
      child = await world.start();
    }
    for (const [index, command] of commands.entries()) {
      const name = Object.keys(scenarios)[index] ?? '';
      const { ok } = await command.result;
      const events = await eventsOf(command);
      const namespace = namespaceOf(name, round);
      const where = `${title}: ${name}`;
      t.is(events.filter(({ type }) => type === 'result').length, 1, where);
      const isResumed = events.some(({ type, payload }) => type === 'accepted' && 'resumed' in payload);
      t.true(isResumed, `${where} was interrupted`);
      t.deepEqual({ ok, left: await world.left(namespace), jobs: world.jobs(namespace) }, expected[index], where);
    }
  }
});
