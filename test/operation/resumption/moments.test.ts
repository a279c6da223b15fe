import type { ExecutionContext } from 'ava';
import type { Cluster } from '../../../src/objects/cluster.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { realHost } from '../../support/host.ts';
import { randomOf, seedOf } from '../../support/random.ts';
import { newWorld, sandboxTest } from '../world.ts';
import { memoryCheckpoints } from './memory-checkpoints.ts';
import { charts, requestOf, resume, type Scenario, type ScenarioName, scenarios, start } from './scenarios.ts';
import { errorText, snapshot } from './snapshot.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

const id = 'operation-1';

/** Number of interruptions of each verb. Each run of the tests chooses others. */
const moments = 10;

/** Number of moments of a short operation, which is interrupted at each of them. */
const fewMoments = 30;

/** The end of a process: before a request is sent, or after it was answered. */
interface Moment {
  request: number;
  when: 'before' | 'after';
}

const requests = ['get', 'list', 'create', 'replace', 'apply', 'mergePatch', 'strategicMergePatch', 'delete'] as const;

/** Returns a cluster that a process uses until a moment. It then gets no responses. */
function mortal(cluster: Cluster, moment: Moment | undefined, counted: () => number, die: () => void): Cluster {
  const life = new AbortController();
  const end = (): never => {
    life.abort();
    die();
    throw new Error('the process has ended');
  };
  const wrapped = requests.map((name) => {
    const send = cluster[name].bind(cluster) as (...args: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...args: unknown[]) => {
        if (life.signal.aborted) end();
        const isLast = counted() === moment?.request;
        if (isLast && moment.when === 'before') end();
        const answer = await send(...args);
        return isLast || life.signal.aborted ? end() : answer;
      },
    ] as const;
  });
  return { ...cluster, ...Object.fromEntries(wrapped) };
}

/** Runs the operation of a scenario in two processes, of which the first ends at a moment. */
async function perform(t: Context, scenario: Scenario, moment?: Moment) {
  const world = newWorld(t, ...charts);
  const { namespace } = world;
  for (const part of scenario.before) await start(world.context(), requestOf(part, namespace));
  const operation = requestOf(scenario.interrupted, namespace);
  const jobs = new Map<string, Set<string | undefined>>();
  const noting: Cluster = {
    ...world.cluster,
    async apply(object, options) {
      const applied = await world.cluster.apply(object, options);
      const { name, uid } = applied.metadata;
      if (applied.kind === 'Job') jobs.set(name, (jobs.get(name) ?? new Set()).add(uid));
      return applied;
    },
  };
  const checkpoints = memoryCheckpoints();
  let count = 0;
  let error: unknown;
  let processes = 0;
  for (const isFirst of [true, false]) {
    processes += 1;
    const process = new AbortController();
    const die = () => process.abort(new Error('the process has ended'));
    const cluster = mortal(noting, isFirst ? moment : undefined, () => ++count, die);
    const onUnreadable = (unreadable: Error) => {
      throw unreadable;
    };
    const context: OperationContext = {
      ...newWorld(t, ...charts).context({
        cluster,
        storage: openStorage('secret', { cluster, host: realHost, onUnreadable }),
      }),
      ...{ id, abandon: process.signal },
      checkpoints: {
        save: async (state, isNeeded) => {
          if (isNeeded && !process.signal.aborted) await checkpoints.save(state, isNeeded);
        },
      },
    };
    const stored = checkpoints.find(id);
    error = await (stored === undefined ? start(context, operation) : resume(context, stored, operation)).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (!process.signal.aborted) break;
  }
  const left = await snapshot(world.cluster, world.context().storage, namespace);
  const creations = [...jobs].map(([name, uids]) => `${name}: ${uids.size}`).sort();
  return { count, processes, result: { error: errorText(error, namespace), left, creations } };
}

function everyMoment(count: number): Moment[] {
  return Array.from({ length: 2 * count }, (_, index) => ({
    request: 1 + Math.floor(index / 2),
    when: index % 2 === 0 ? 'before' : 'after',
  }));
}

function randomMoments(count: number, random: () => number): Moment[] {
  return Array.from({ length: moments }, () => {
    const request = 1 + Math.floor(random() * count);
    return { request, when: random() < 0.5 ? 'before' : 'after' };
  });
}

const endsTheSame = test.macro({
  async exec(t, name: ScenarioName) {
    t.timeout(300_000, 'a busy machine');
    const seed = seedOf(process.env);
    t.log(`SEED=${seed}`);
    const random = randomOf(seed);
    const scenario: Scenario = scenarios[name];
    const whole = await perform(t, scenario);
    const every = everyMoment(whole.count);
    const chosen = every.length <= fewMoments ? every : randomMoments(whole.count, random);
    t.log(`${chosen.length} of ${every.length} moments`);
    const results = await Promise.all(chosen.map((moment) => perform(t, scenario, moment)));
    t.true(results.filter(({ processes }) => processes === 2).length >= chosen.length / 2);
    for (const [index, { result }] of results.entries()) {
      t.deepEqual(result, whole.result, JSON.stringify(chosen[index]));
    }
  },
  title: (_, name: ScenarioName) => `${name}: ends the same whenever the process ends`,
});

test.serial(endsTheSame, 'install');
test.serial(endsTheSame, 'upgrade');
test.serial(endsTheSame, 'rollback');
test.serial(endsTheSame, 'uninstall');
test.serial(endsTheSame, 'test');
test.serial(endsTheSame, 'failing atomic install');
test.serial(endsTheSame, 'failing atomic upgrade');
test.serial(endsTheSame, 'rollback to a revision above the history limit');
test.serial(endsTheSame, 'failing atomic upgrade with a history limit');
test.serial(endsTheSame, 'install that replaces an uninstalled release');
test.serial(endsTheSame, 'install with upgrade over an uninstalled release');
