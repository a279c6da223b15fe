import type { Cluster } from '../../src/objects/cluster.ts';
import type { KubeObject } from '../../src/objects/object.ts';
import { deploymentInfo } from '../../src/operation/deployment-info.ts';
import { diffRelease } from '../../src/operation/diff/diff-release.ts';
import { OperationError } from '../../src/operation/error.ts';
import { releaseStatus } from '../../src/operation/release-status.ts';
import type { OperationState } from '../../src/operation/state/operation-state.ts';
import { testRelease } from '../../src/operation/test-release.ts';
import { configMap, deployment, hook, job } from './manifests.ts';
import { type TextChart, textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, timeUpWhen, type World } from './world.ts';

const test = sandboxTest();

const password = 'hunter2-of-the-manifest';

const secret = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' } },
  stringData: { password },
});

const chart = (files: Record<string, string> = {}): TextChart => textChart({ 's.yaml': secret, ...files });

const quoting = (code: string) =>
  Object.assign(new Error(`admission webhook "policy" denied the request: ${password}`), {
    code,
    causes: [{ reason: 'FieldValueInvalid', field: 'data', message: `Invalid value: "${password}"` }],
  });

type Write = 'apply' | 'create' | 'delete' | 'get' | 'strategicMergePatch';

/** Returns the cluster, which quotes the password when it refuses some requests for an object. */
function refusing(
  cluster: Cluster,
  name: string,
  writes: readonly Write[],
  code = 'invalid',
  times = Infinity,
): Cluster {
  let left = times;
  const isRefused = (write: Write, target: { name: string }) =>
    writes.includes(write) && target.name === name && left-- > 0;
  return {
    ...cluster,
    apply: async (object, options) => {
      if (isRefused('apply', object.metadata)) throw quoting(code);
      return await cluster.apply(object, options);
    },
    create: async (object, options) => {
      if (isRefused('create', object.metadata)) throw quoting(code);
      return await cluster.create(object, options);
    },
    strategicMergePatch: async (ref, patch, options) => {
      if (isRefused('strategicMergePatch', ref)) throw quoting(code);
      return await cluster.strategicMergePatch(ref, patch, options);
    },
    delete: async (ref, options) => {
      if (isRefused('delete', ref)) throw quoting(code);
      return await cluster.delete(ref, options);
    },
    get: async (ref, signal) => {
      if (isRefused('get', ref)) throw quoting(code);
      return await cluster.get(ref, signal);
    },
  };
}

/** Returns the cluster, which sends a warning that quotes the password with each object. */
function warning(cluster: Cluster): Cluster {
  return {
    ...cluster,
    async apply(object, options) {
      options.onWarning?.(`unknown field "${password}"`);
      return await cluster.apply(object, options);
    },
    async create(object, options) {
      options?.onWarning?.(`unknown field "${password}"`);
      return await cluster.create(object, options);
    },
  };
}

/** Returns the cluster, in which what is read quotes the password. */
function quotingStatus(cluster: Cluster, kind: string): Cluster {
  const conditions = [{ type: 'Reconciling', status: 'True', reason: 'Busy', message: `connects with ${password}` }];
  const quote = (object: KubeObject): KubeObject =>
    object.kind === kind ? { ...object, status: { conditions } } : object;
  return {
    ...cluster,
    async get(ref, signal) {
      const found = await cluster.get(ref, signal);
      return found && quote(found);
    },
    list: async (query, signal) => (await cluster.list(query, signal)).map(quote),
  };
}

interface Run {
  world: World;
  cluster: Cluster;
  /** Texts that leave the operation besides its progress and its error. */
  answers: unknown[];
  context: { cluster: Cluster; id: string; checkpoints: { save: (state: OperationState) => Promise<void> } };
}

/** Everything that an operation says: packets, results, the journal, and the stored releases. */
const nothingLeaks = test.macro({
  async exec(t, charts: readonly TextChart[], run: (run: Run) => Promise<unknown>) {
    const world = newWorld(t, ...charts);
    const states: string[] = [];
    const answers: unknown[] = [];
    const checkpoints = {
      save(state: OperationState) {
        states.push(JSON.stringify(state));
        return Promise.resolve();
      },
    };
    const context = { cluster: world.cluster, id: 'one', checkpoints };
    try {
      await run({ world, cluster: world.cluster, answers, context });
    } catch (error) {
      if (!(error instanceof OperationError)) throw error;
      const { message, resources, problems, undoErrors } = error;
      answers.push({ message, resources, problems, undoErrors });
    }
    const descriptions: string[] = [];
    for (let version = 1; ; version++) {
      const release = await world.stored(version);
      if (release === undefined) break;
      descriptions.push(release.info.description ?? '');
    }
    const everything = JSON.stringify([world.progress, answers, states, descriptions]);
    const at = everything.indexOf(password);
    t.is(at === -1 ? '' : everything.slice(Math.max(0, at - 200), at + 50), '');
    t.regex(everything, /\*\*\*/);
  },
  title: (source = '') => `does not repeat a secret of the manifest from ${source}`,
});

const plain = chart({ 'a.yaml': configMap('a') });
const container = {
  ...{ name: 'app', image: 'localhost/app:1', args: ['--password', password] },
  env: [{ name: 'DB_PASSWORD', value: `${password}-of-env` }],
};
const deploymentChart = chart({
  'd.yaml': JSON.stringify({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'web', annotations: { 'example.com/copy': `${password} and ${password}-of-env` } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } },
    },
  }),
});
const hookChart = chart({ 'h.yaml': job('load', { annotations: hook('pre-install') }) });
const testChart = chart({ 't.yaml': job('check', { annotations: hook('test') }) });
const second = chart({ 'a.yaml': configMap('a', '2') });

test('warnings of the API server', nothingLeaks, [plain], ({ world, cluster, context }) =>
  world.install(plain, {}, { ...context, cluster: warning(cluster) }),
);

test('an object that is refused', nothingLeaks, [plain], ({ world, cluster, context }) =>
  world.install(plain, {}, { ...context, cluster: refusing(cluster, 'a', ['apply']) }),
);

test('an object that is refused client-side', nothingLeaks, [plain, second], async ({ world, cluster, context }) => {
  await world.install(plain, { serverSide: false });
  const refused = refusing(cluster, 'a', ['strategicMergePatch']);
  await world.upgrade(second, { atomic: true }, { ...context, cluster: refused });
});

test('a webhook that does not answer yet', nothingLeaks, [plain], ({ world, cluster, context }) =>
  world.install(plain, {}, { ...context, cluster: refusing(cluster, 'a', ['apply'], 'webhook_unavailable', 1) }),
);

test('the undoing of an installation', nothingLeaks, [plain], ({ world, cluster, context }) => {
  const both = refusing(refusing(cluster, 'a', ['apply']), 'db', ['delete']);
  return world.install(plain, { atomic: true }, { ...context, cluster: both });
});

test('a hook that is refused', nothingLeaks, [hookChart], ({ world, cluster, context }) =>
  world.install(hookChart, {}, { ...context, cluster: refusing(cluster, 'load', ['apply', 'create']) }),
);

test('a dry run', nothingLeaks, [plain], async ({ world, cluster, answers, context }) => {
  await world.install(plain);
  const request = { dryRun: true, preview: 'dry-run' } as const;
  await world.upgrade(plain, request, { ...context, cluster: refusing(cluster, 'a', ['apply']) });
  const { differences } = await diffRelease(world.context({ cluster: refusing(cluster, 'a', ['apply']) }), {
    ...{ namespace: world.namespace, releaseName, against: 'live' },
    loadChart: () => Promise.resolve(plain.chart),
  });
  answers.push(differences);
});

test('an uninstallation', nothingLeaks, [plain], async ({ world, cluster, context }) => {
  await world.install(plain);
  await world.uninstall({}, { ...context, cluster: refusing(cluster, 'a', ['delete']) });
});

test('a rollback', nothingLeaks, [plain, second], async ({ world, cluster, context }) => {
  await world.install(plain);
  await world.upgrade(second);
  await world.rollback({}, { ...context, cluster: refusing(cluster, 'a', ['apply']) });
});

test('a test', nothingLeaks, [testChart], async ({ world, cluster, context }) => {
  await world.install(testChart);
  const refused = refusing(cluster, 'check', ['apply', 'create']);
  const name = { namespace: world.namespace, releaseName };
  await testRelease(world.context({ ...context, cluster: refused }), name);
});

test('the conditions of an object', nothingLeaks, [plain], async ({ world, cluster, answers }) => {
  await world.install(plain);
  const quotes = quotingStatus(cluster, 'ConfigMap');
  const name = { namespace: world.namespace, releaseName };
  const { resources } = await releaseStatus(world.context({ cluster: quotes }), name);
  answers.push(resources);
});

test('an object that cannot be read', nothingLeaks, [plain], async ({ world, cluster, answers }) => {
  await world.install(plain);
  const name = { namespace: world.namespace, releaseName };
  const context = world.context({ cluster: refusing(cluster, 'a', ['get']) });
  const { resources } = await releaseStatus(context, name);
  answers.push(resources);
});

const crashing = chart({ 'd.yaml': deployment('bad', { behaviour: 'crash-loop' }) });

test('events and conditions in evidence', nothingLeaks, [crashing], ({ world, cluster, context }) => {
  const quotes = quotingStatus(cluster, 'Deployment');
  return world.install(crashing, {}, { ...timeUpWhen(world, /CrashLoopBackOff/), ...context, cluster: quotes });
});

test('a Deployment', nothingLeaks, [deploymentChart], async ({ world, answers }) => {
  await world.install(deploymentChart, { wait: false });
  const found = await deploymentInfo(world.context(), { namespace: world.namespace, deploymentName: 'web' });
  // names and labels stay
  if (found.metadata.labels?.['app.kubernetes.io/managed-by'] !== 'Helm') throw new Error('a label is masked');
  answers.push(found);
});
