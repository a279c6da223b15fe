import type { ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import { newWorld, sandboxTest } from '../world.ts';
import { run, type Interruption, type Run } from './interrupted-run.ts';
import { charts, requestOf, scenarios, start, type Scenario, type ScenarioName } from './scenarios.ts';
import { errorText, snapshot } from './snapshot.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

interface Result extends Pick<Run, 'states' | 'interruptions'> {
  error: string | undefined;
  /** The objects and records that it has left. */
  left: string[];
  /** How often each hook was created. */
  creations: Record<string, number>;
}

async function perform(t: Context, scenario: Scenario, interruption: Interruption): Promise<Result> {
  const world = newWorld(t, ...charts);
  const { namespace } = world;
  for (const part of scenario.before) await start(world.context(), requestOf(part, namespace));
  const { cluster, uids } = countingCluster(world.cluster);
  const done = await run(scenario, namespace, () => newWorld(t, ...charts).context({ cluster }), interruption);
  const left = await snapshot(cluster, world.context().storage, namespace);
  const creations = [...uids].map(([name, found]) => [name, found.size] as const).sort();
  const { interruptions } = done;
  const states = [...new Set(done.states)];
  const error = errorText(done.error, namespace);
  return { interruptions, states, error, left, creations: Object.fromEntries(creations) };
}

/** Returns a cluster that notes the uids of the Jobs that were applied. */
function countingCluster(cluster: Cluster): { cluster: Cluster; uids: Map<string, Set<string | undefined>> } {
  const uids = new Map<string, Set<string | undefined>>();
  const apply: Cluster['apply'] = async (object, options) => {
    const applied = await cluster.apply(object, options);
    const { name, uid } = applied.metadata;
    if (applied.kind === 'Job') uids.set(name, (uids.get(name) ?? new Set()).add(uid));
    return applied;
  };
  return { cluster: { ...cluster, apply }, uids };
}

const endsTheSame = test.macro({
  async exec(t, name: ScenarioName) {
    const scenario: Scenario = scenarios[name];
    const [whole, ...interrupted] = await Promise.all([
      perform(t, scenario, 'never'),
      perform(t, scenario, 'after each checkpoint'),
      perform(t, scenario, 'before each checkpoint'),
      perform(t, scenario, 'after needed checkpoints only'),
    ]);
    for (const { interruptions, states, ...result } of interrupted) {
      const { states: wholeStates, ...expected } = whole;
      t.true(interruptions >= 3);
      t.deepEqual(
        states.filter((state) => !wholeStates.includes(state)),
        [],
      );
      t.deepEqual({ ...result, interruptions: 0 }, expected);
    }
    t.deepEqual(interrupted[0].states, whole.states);
    t.deepEqual(interrupted[1].states, whole.states);
  },
  title: (_, name: ScenarioName) => `${name}: ends the same if it is interrupted at every checkpoint`,
});

for (const name of Object.keys(scenarios) as ScenarioName[]) test.serial(endsTheSame, name);
