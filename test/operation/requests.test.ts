import test from 'ava';
import { chartLoader } from '../../src/agent/commands/chart-loader.ts';
import type { CommandContext } from '../../src/agent/commands/command-handler.ts';
import { type CommandDependencies, handlerOf, type Identity } from '../../src/agent/commands/index.ts';
import type { ChartContent } from '../../src/chart/load/chart-content.ts';
import { operation as adoptRelease } from '../../src/operation/adopt.ts';
import { operationOf, type RequestSources, withoutUndefined } from '../../src/operation/command-operation.ts';
import type { OperationContext } from '../../src/operation/context.ts';
import { operation as getRelease } from '../../src/operation/get.ts';
import { operation as installRelease } from '../../src/operation/install.ts';
import { operation as listReleases } from '../../src/operation/list.ts';
import { memoryPlans } from '../../src/operation/plan/plans.ts';
import { operation as uninstallRelease } from '../../src/operation/uninstall.ts';
import { operation as upgradeRelease } from '../../src/operation/upgrade.ts';
import { commands } from '../../src/protocol/commands/index.ts';
import type { Release } from '../../src/release/release.ts';
import { recordingLog } from '../agent/support/log.ts';
import { realHost } from '../support/host.ts';
import { memoryCheckpoints } from './resumption/memory-checkpoints.ts';

const release: Release = {
  name: 'web',
  namespace: 'shop',
  version: 3,
  info: { status: 'deployed', notes: 'long' },
  chart: {
    metadata: { name: 'nginx', version: '1.2.3' },
    lock: null,
    templates: [{ name: 'templates/a.yaml', data: 'YQ==' }],
    values: {},
    schema: null,
    files: null,
  },
  config: { a: 1 },
  manifest: '---\n',
};

const chart: ChartContent = { name: 'nginx', version: '1.2.3', digest: '', files: [] };

function dependencies(overrides: Partial<RequestSources> = {}) {
  const loaded: object[] = [];
  return {
    loaded,
    plans: memoryPlans(realHost),
    tillerRecords: (namespace = 'kube-system') => ({ query: () => Promise.reject(new Error(namespace)) }),
    chartAt: chartLoader({
      source: {
        load(request: object) {
          loaded.push(request);
          return Promise.resolve(chart);
        },
      },
    }),
    ...overrides,
  };
}

test('an installation gets its options and values, and loads the chart when the operation asks for it', async (t) => {
  const given = dependencies();
  const { loadChart, ...request } = installRelease.request(
    {
      namespace: 'shop',
      releaseName: 'web',
      repoUrl: 'https://charts.example',
      repoUserName: 'user',
      repoPassword: 'password',
      chartName: 'nginx',
      chartVersion: '^1',
      values: 'a: 1',
      timeout: 90_000,
      wait: false,
      upgrade: true,
    },
    given,
  );
  t.deepEqual<unknown, unknown>(request, {
    namespace: 'shop',
    releaseName: 'web',
    values: 'a: 1',
    timeout: 90_000,
    wait: false,
    settleUnprobed: 5000,
    settleCustom: 3000,
    upgrade: true,
  });
  t.is(given.loaded.length, 0);
  t.is(await loadChart(new AbortController().signal), chart);
  t.deepEqual<unknown, unknown>(given.loaded[0], {
    repoUrl: 'https://charts.example',
    username: 'user',
    password: 'password',
    chartName: 'nginx',
    chartVersion: '^1',
  });
});

test('an upgrade without values has none, so that those of the release stay', (t) => {
  const payload = { namespace: 'default', releaseName: 'web', chartName: 'nginx' };
  const request = upgradeRelease.request(payload, dependencies());
  t.deepEqual(Object.keys(request).sort(), ['loadChart', 'namespace', 'releaseName', 'settleCustom', 'settleUnprobed']);
});

test('an uninstallation returns the release and the resources that were kept', (t) => {
  const payload = { namespace: 'shop', releaseName: 'web' };
  t.deepEqual(uninstallRelease.request(payload, dependencies()), { namespace: 'shop', releaseName: 'web' });
  t.deepEqual<unknown, unknown>(uninstallRelease.answer({ release, info: 'kept: secret/a' }, payload), {
    release,
    info: 'kept: secret/a',
  });
  t.deepEqual<unknown, unknown>(uninstallRelease.answer({ release, info: '' }, payload), { release });
  t.deepEqual<unknown, unknown>(uninstallRelease.answer({ info: '' }, payload), {});
});

const options = test.macro({
  title: (_, payload: object) => `the options ${JSON.stringify(payload)} of Helm`,
  exec(t, payload: object, expected: object) {
    const named = { namespace: 'shop', releaseName: 'web', chartName: 'nginx' };
    const request = upgradeRelease.request({ ...named, ...payload }, dependencies());
    const { loadChart } = request;
    const settled = { settleUnprobed: 5000, settleCustom: 3000, ...expected };
    t.deepEqual<unknown, unknown>(
      withoutUndefined({ namespace: 'shop', releaseName: 'web', loadChart, ...settled }),
      request,
    );
  },
});

test(options, { wait: 'watcher' }, { wait: true });
test(options, { wait: 'legacy' }, { wait: true, waitStrategy: 'legacy' });
test(options, { wait: 'hookOnly' }, { wait: false });
test(options, { wait: 'hookOnly', atomic: true }, { atomic: true, wait: true });
test(options, { wait: false, atomic: true }, { atomic: true, wait: false });
test(options, { settle: 10_000 }, { settle: 10_000, settleUnprobed: undefined, settleCustom: undefined });
test(options, { settle: false }, { settleUnprobed: undefined, settleCustom: undefined });
test(options, { dryRun: 'none' }, {});
test(options, { dryRun: 'server' }, { dryRun: true, preview: 'dry-run' });
test(options, { dryRun: 'client', hideSecret: true }, { dryRun: true, offline: true, hideSecret: true });
test(options, { disableOpenapiValidation: true, hideNotes: true }, {});
test(options, { labels: { a: 'b' }, skipSchemaValidation: true }, { labels: { a: 'b' }, skipSchemaValidation: true });

test('a command can name a post-renderer of the agent', (t) => {
  const postRender = (text: string) => text;
  const payload = { namespace: 'shop', releaseName: 'web', chartName: 'nginx', postRenderer: 'own' };
  const given = dependencies({ postRenderers: new Map([['own', postRender]]) });
  t.is(upgradeRelease.request(payload, given).postRender, postRender);
  t.throws(() => upgradeRelease.request({ ...payload, postRenderer: 'other' }, given), {
    code: 'bad_payload',
    message: /has no such post-renderer, only: own; start the agent with --post-renderers/,
  });
  t.throws(() => upgradeRelease.request(payload, dependencies()), { message: /only: none/ });
});

test('hideNotes leaves the notes out of the answer', (t) => {
  const payload = { namespace: 'shop', releaseName: 'web', chartName: 'nginx' };
  t.is(installRelease.answer({ release }, payload).release.info.notes, 'long');
  t.is(installRelease.answer({ release }, { ...payload, hideNotes: true }).release.info.notes, undefined);
});

test('a list of Helm 2, and an adoption, read the records of its Tiller', async (t) => {
  const listed = listReleases.request({ helm2: true, max: 3 }, dependencies());
  t.is(listed.max, 3);
  await t.throwsAsync(Promise.resolve(listed.storage?.query({})), { message: 'kube-system' });
  const name = { namespace: 'shop', releaseName: 'web' };
  const { tiller, ...adopted } = adoptRelease.request(
    { ...name, tillerNamespace: 'tiller', dryRun: true },
    dependencies(),
  );
  t.deepEqual<unknown, unknown>(adopted, { ...name, dryRun: true });
  await t.throwsAsync(tiller.query({}), { message: 'tiller' });
});

test('a list has the fields of each release that a table shows', (t) => {
  t.deepEqual(listReleases.request({}, dependencies()), {});
  t.deepEqual(JSON.parse(JSON.stringify(listReleases.answer({ releases: [release], unreadable: [] }, {}))), {
    releases: [
      {
        name: 'web',
        namespace: 'shop',
        version: 3,
        info: { status: 'deployed' },
        chart: { metadata: { name: 'nginx', version: '1.2.3' } },
      },
    ],
  });
});

test('a release is found by name and version', (t) => {
  const named = { namespace: 'shop', releaseName: 'web', version: 2 };
  t.deepEqual(getRelease.request(named, dependencies()), named);
});

test('a stored release fits the schemas of the commands that return it', (t) => {
  const payload = { namespace: 'shop', releaseName: 'web', chartName: 'nginx' };
  const withoutMetadata = { ...release, chart: { ...release.chart, metadata: null } };
  for (const stored of [release, withoutMetadata]) {
    t.notThrows(() => commands.install_release.answer.parse(installRelease.answer({ release: stored }, payload)));
    t.notThrows(() =>
      commands.list_releases.answer.parse(listReleases.answer({ releases: [stored], unreadable: ['a'] }, {})),
    );
  }
});

test('a handler performs the operation with the context of its command', async (t) => {
  const context: CommandContext = {
    id: 'k',
    account: 'shop/deployer',
    policy: undefined,
    checkpoints: memoryCheckpoints(),
    state: undefined,
    signal: new AbortController().signal,
    abandon: new AbortController().signal,
    queued: 0,
    whileWaiting: (wait) => wait(),
    takeTurn: (_, change) => change(undefined),
    progress: () => undefined,
    cancel: () => false,
    onJournaled: () => undefined,
    log: recordingLog().log,
  };
  const shared = { renderer: {}, host: {} } as CommandDependencies['shared']; // not looked into
  const identity = { cluster: {}, storage: {} } as Identity; // as above
  const accounts: unknown[] = [];
  const runAs: CommandDependencies['runAs'] = (account, work) => {
    accounts.push(account);
    return work(identity);
  };
  const calls: [OperationContext, object][] = [];
  const operation = operationOf('get_release', {
    ...getRelease,
    run(operationContext, request) {
      calls.push([operationContext, request]);
      return Promise.resolve({ release, labels: { owner: 'helm' } });
    },
  });
  const source = { load: () => Promise.resolve(chart) };
  const handler = handlerOf(() => Promise.resolve({ operation }), {
    ...{ ...dependencies(), source, shared, runAs },
  });
  const payload = { namespace: 'shop', releaseName: 'web', version: undefined };
  t.deepEqual<unknown, unknown>(await handler(payload, context), { release, labels: { owner: 'helm' } });
  const [operationContext, request] = calls[0] ?? [];
  t.deepEqual(accounts, ['shop/deployer']);
  t.like(operationContext, { ...shared, ...identity, signal: context.signal, abandon: context.abandon });
  t.deepEqual(request, { namespace: 'shop', releaseName: 'web' });
});
