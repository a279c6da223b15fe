import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { useHarness } from '../harness.ts';
import { compareStates, type Kinds, stateOf } from '../namespace-state.ts';
import { freeNamespace } from '../namespaces.ts';
import type { Harness } from '../open-harness.ts';
import { kubeconfigText } from '../real-cluster.ts';
import { isWanted } from '../wanted-differences.ts';
import { writeChart, type WrittenChart } from '../written-chart.ts';
import { ctlSide, helmSide, type Outcome, packetSide, type Side } from './side.ts';
import { slots } from './slots.ts';

/** A change by another client in the namespace of a side. */
export type Intervention = (side: Side) => Promise<unknown>;

/**
 * A command line of helm, also as a list of words, or with another line that says the same by
 * packet; or an intervention.
 */
export type ScenarioStep = string | readonly string[] | { line: string; byPacket: string } | Intervention;

/** Command lines for helm, `ctl` and packets, each in a namespace of its own. */
export interface Scenario {
  /**
   * Charts by name: a manifest, or the parts of a chart. `NAMESPACE` means the namespace of the
   * side. `@NAME` is the chart in a command line.
   */
  charts?: Readonly<Record<string, string | WrittenChart>>;
  /** Files with values by name. `%NAME` is the file in a command line. */
  values?: Readonly<Record<string, string>>;
  steps: readonly ScenarioStep[];
  /** Kinds to compare beside the usual ones. */
  kinds?: Kinds;
  /** Cluster-wide kinds to compare, of which the objects have the namespace in their names. */
  clusterKinds?: Kinds;
  /** Other namespaces of the scenario: `-NAME` is added to that of the side. Default: none. */
  namespaces?: readonly string[];
  /** Deletes what is left outside the namespaces. */
  teardown?: Intervention;
}

export const usualKinds: Kinds = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'Service'],
  ['v1', 'ServiceAccount'],
  ['v1', 'Pod'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
];

const readingVerbs = new Set(['list', 'status', 'history', 'get', 'template']);
const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));
const maxScenarios = 6;
const maxAttempts = 4;

/**
 * Returns the macro that runs a scenario by helm, by `ctl` and by packets, and compares after each
 * command how it ends, what it prints, and the objects and records that are left.
 */
export async function useScenarios() {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-scenarios-'));
  const harness = useHarness(() => ({ kubeconfig: kubeconfigText(), localCharts: folder }));
  test.after.always('charts', () => rm(folder, { recursive: true }));
  const inSlot = slots(maxScenarios);
  return test.macro((t, scenario: Scenario) => inSlot(() => run(t, scenario, harness(), folder)));
}

/**
 * Runs a scenario, and again if the sides differ. Some of what helm does is chance: it creates the
 * objects of a kind at the same time, and on a loaded machine the API of a new definition may not
 * be served yet when it looks for it.
 */
async function run(t: ExecutionContext, scenario: Scenario, harness: Harness, folder: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await differencesAfter(t, scenario, harness, folder).catch((error: unknown) => [inspect(error)]);
    if (found.length === 0 || attempt === maxAttempts) {
      t.deepEqual(found, []);
      return;
    }
    t.log(`attempt ${attempt} of ${maxAttempts} differed:`, found);
  }
}

/** Runs all steps by all sides. Returns the differences that are not wanted. */
async function differencesAfter(
  t: ExecutionContext,
  scenario: Scenario,
  harness: Harness,
  folder: string,
): Promise<string[]> {
  const sides = [helmSide, ctlSide, packetSide].map((side) => {
    const namespace = freeNamespace(t, harness.cluster, scenario.namespaces);
    return side({ harness, namespace, folder, values: scenario.values ?? {} });
  });
  await Promise.all(sides.map((side) => writeCharts(side, scenario, folder)));
  t.teardown(async () => {
    for (const side of sides) await scenario.teardown?.(side);
  });
  const found = new Set<string>();
  for (const step of scenario.steps) {
    if (typeof step === 'function') {
      try {
        await Promise.all(sides.map((side) => step(side)));
      } catch (cause) {
        throw new Error(`an intervention failed after these differences: ${inspect([...found])}`, { cause });
      }
      continue;
    }
    const line = wordsOf(step, 'helm');
    const outcomes = await Promise.all(sides.map((side) => side.perform(wordsOf(step, side.name))));
    for (const difference of compareOutcomes(sides, outcomes, line)) found.add(difference);
    if (readingVerbs.has(line[0] ?? '')) continue;
    for (const difference of await compareSides(sides, scenario, line)) found.add(difference);
  }
  return [...found].filter((difference) => !isWanted(difference, t.title));
}

function wordsOf(step: Exclude<ScenarioStep, Intervention>, side: Side['name']): readonly string[] {
  if (typeof step === 'string') return step.split(' ');
  if (!('line' in step)) return step;
  return (side === 'packets' ? step.byPacket : step.line).split(' ');
}

async function writeCharts({ namespace }: Side, { charts = {}, values = {} }: Scenario, folder: string) {
  const inNamespace = (text: string) => text.replaceAll('NAMESPACE', namespace);
  for (const [name, chart] of Object.entries(charts)) {
    const { manifest, files = {}, ...parts } = typeof chart === 'string' ? { manifest: chart } : chart;
    const replaced = Object.fromEntries(Object.entries(files).map(([path, text]) => [path, inNamespace(text)]));
    await writeChart(join(folder, namespace), name, { ...parts, manifest: inNamespace(manifest), files: replaced });
  }
  await cp(fixtures, join(folder, namespace), { recursive: true });
  for (const [name, text] of Object.entries(values)) await writeFile(join(folder, namespace, name), text);
}

/** Returns how the outcomes of a command differ, as `LINE: SIDE PART: helm has X, the agent Y`. */
function compareOutcomes(
  sides: readonly Side[],
  [ofHelm, ...others]: readonly (Outcome | undefined)[],
  line: readonly string[],
) {
  if (ofHelm === undefined) throw new Error('helm runs all command lines');
  return others.flatMap((outcome, index) => {
    const { name = '' } = sides[index + 1] ?? {};
    const about = `${line.join(' ')}: ${name}`;
    if (outcome === undefined) {
      const needsPacket = ofHelm.succeeded && line.length > 1; // a verb alone prints its usage, or fails
      return needsPacket ? [`${about}: there is no packet for this`] : [];
    }
    const differences: string[] = [];
    const compare = (part: keyof Outcome) => {
      const [a, b] = [JSON.stringify(ofHelm[part]), JSON.stringify(outcome[part])];
      if (a !== b) differences.push(`${about} ${part}: helm has ${a}, the agent ${b}`);
    };
    compare('succeeded');
    if (!ofHelm.succeeded || !outcome.succeeded) compare('error');
    if (outcome.stdout !== undefined) compare('stdout');
    if (outcome.facts === undefined || ofHelm.facts === undefined) return differences;
    return [...differences, ...compareStates(ofHelm.facts, outcome.facts, `${about} facts`)];
  });
}

async function compareSides(sides: readonly Side[], scenario: Scenario, line: readonly string[]): Promise<string[]> {
  const { kinds = [], clusterKinds = [], namespaces = [] } = scenario;
  const [ofHelm, ...others] = await Promise.all(
    sides.map(async ({ cluster, namespace }) => {
      const own = await stateOf(cluster, { namespace, kinds: [...usualKinds, ...kinds], clusterKinds });
      const rest = await Promise.all(
        namespaces.map((name) =>
          stateOf(cluster, { namespace: `${namespace}-${name}`, kinds: [...usualKinds, ...kinds], hide: namespace }),
        ),
      );
      return { own, ...(rest.length > 0 && { rest }) };
    }),
  );
  return others.flatMap((state, index) =>
    compareStates(ofHelm, state).map((difference) => `${line.join(' ')}: ${sides[index + 1]?.name} ${difference}`),
  );
}
