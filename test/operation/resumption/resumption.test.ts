import type { ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { KubeObject } from '../../../src/objects/object.ts';
import { applyPlan, resumeApplyPlan } from '../../../src/operation/plan/apply-plan.ts';
import { plan } from '../../../src/operation/plan/plan.ts';
import { memoryPlans } from '../../../src/operation/plan/plans.ts';
import { realHost } from '../../support/host.ts';
import { newWorld, sandboxTest, type World } from '../world.ts';
import { type Interruption, type Resumable, type Run, run } from './interrupted-run.ts';
import { charts, requestOf, resume, type Scenario, type ScenarioName, scenarios, start } from './scenarios.ts';
import { errorText, snapshot } from './snapshot.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

interface Result extends Pick<Run, 'states' | 'interruptions'> {
  error: string | undefined;
  /** The objects and records that it has left. */
  left: string[];
  history: string[];
  /** How often each hook was created. */
  creations: Record<string, number>;
}

async function perform(t: Context, scenario: Scenario, interruption: Interruption): Promise<Result> {
  const world = newWorld(t, ...charts);
  const { namespace } = world;
  for (const part of scenario.before) await start(world.context(), requestOf(part, namespace));
  const { cluster, uids } = countingCluster(world.cluster);
  const operation = await resumable(scenario, world);
  const done = await run(operation, () => newWorld(t, ...charts).context({ cluster }), interruption);
  const left = await snapshot(cluster, world.context().storage, namespace);
  const history = await world.history();
  const creations = [...uids].map(([name, found]) => [name, found.size] as const).sort();
  const { interruptions } = done;
  const states = [...new Set(done.states)];
  const error = errorText(done.error, namespace);
  return { interruptions, states, error, left, history, creations: Object.fromEntries(creations) };
}

/** Returns the operation that is interrupted, or the performance of a plan of it. */
async function resumable({ interrupted, isPlanned }: Scenario, world: World): Promise<Resumable> {
  const operation = requestOf(interrupted, world.namespace);
  if (isPlanned !== true) {
    return {
      start: (context) => start(context, operation),
      resume: (context, state) => resume(context, state, operation),
    };
  }
  if (operation.verb === 'test') throw new Error('tests are not planned');
  const plans = memoryPlans(realHost);
  const { id } = await plan(world.context(), { plans, operation });
  const request = { plans, plan: id };
  return {
    start: (context) => applyPlan(context, request),
    resume: (context, state) => resumeApplyPlan(context, state, request),
  };
}

/** Returns a cluster that notes the uids of the Jobs that were applied or created. */
function countingCluster(cluster: Cluster): { cluster: Cluster; uids: Map<string, Set<string | undefined>> } {
  const uids = new Map<string, Set<string | undefined>>();
  const note = ({ kind, metadata: { name, uid, generateName } }: KubeObject) => {
    const key = typeof generateName === 'string' ? generateName : name;
    if (kind === 'Job') uids.set(key, (uids.get(key) ?? new Set()).add(uid));
  };
  const noted = async (request: Promise<KubeObject>, isDryRun = false) => {
    const object = await request;
    if (!isDryRun) note(object);
    return object;
  };
  const apply: Cluster['apply'] = (object, options) => noted(cluster.apply(object, options), options.dryRun);
  const create: Cluster['create'] = (object, options) => noted(cluster.create(object, options), options?.dryRun);
  return { cluster: { ...cluster, apply, create }, uids };
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
    if (scenario.history) t.deepEqual(whole.history, scenario.history);
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
