import test from 'ava';
import { createCommandHandlers, type CommandDependencies } from '../../../src/agent/commands/commands.ts';
import type { CommandContext } from '../../../src/agent/commands/handler.ts';
import type { Chart } from '../../../src/chart/chart.ts';
import type { OperationContext } from '../../../src/operation/context.ts';
import type { Operations } from '../../../src/operation/operations.ts';
import type { Release } from '../../../src/release/release.ts';
import type { ChartRequest } from '../../../src/source/chart-request.ts';
import { recordingLog } from '../support/log.ts';

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

const surroundings = {} as CommandDependencies['surroundings']; // operations are fakes and look at none of it
const chart = {} as Chart; // likewise

const context: CommandContext = {
  signal: new AbortController().signal,
  abandon: new AbortController().signal,
  progress: () => undefined,
  log: recordingLog().log,
};

function handlersWith(overrides: Partial<CommandDependencies> = {}) {
  const calls: { name: string; request: Record<string, unknown>; context: OperationContext }[] = [];
  const loaded: ChartRequest[] = [];
  const record =
    <Result>(name: string, result: Result) =>
    (operationContext: OperationContext, request: object) => {
      calls.push({ name, request: { ...request }, context: operationContext });
      return Promise.resolve(result);
    };
  const operations: Operations = {
    install: record('install', release),
    upgrade: record('upgrade', release),
    uninstall: record('uninstall', { release, info: 'kept: secret/a' }),
    list: record('list', [release]),
    get: record('get', release),
    deploymentInfo: record('deploymentInfo', { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }),
  };
  const handlers = createCommandHandlers({
    operations,
    surroundings,
    readValues: (text) => new Map([['text', text]]),
    source: {
      load(request) {
        loaded.push(request);
        return Promise.resolve(chart);
      },
    },
    ...overrides,
  });
  return { handlers, calls, loaded };
}

test('an installation gets its options, its values and a chart that is loaded when it asks', async (t) => {
  const { handlers, calls, loaded } = handlersWith();
  const answer = await handlers.install_release(
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
      description: undefined,
      upgrade: true,
    },
    context,
  );
  t.deepEqual<unknown, unknown>(answer, { release });
  const { loadChart, ...request } = calls[0]?.request ?? {};
  t.deepEqual(request, {
    namespace: 'shop',
    releaseName: 'web',
    values: new Map([['text', 'a: 1']]),
    timeout: 90_000,
    wait: false,
    upgrade: true,
  });
  t.is(loaded.length, 0);
  t.is(await (loadChart as (signal: AbortSignal) => Promise<Chart>)(context.signal), chart);
  t.deepEqual<unknown, unknown>(loaded[0], {
    repoUrl: 'https://charts.example',
    username: 'user',
    password: 'password',
    chartName: 'nginx',
    chartVersion: '^1',
  });
  t.is(calls[0]?.context.signal, context.signal);
  t.is(calls[0]?.context.abandon, context.abandon);
});

test('an upgrade without values gives none, so that those of the release stay', async (t) => {
  const { handlers, calls } = handlersWith();
  await handlers.upgrade_release({ namespace: 'default', releaseName: 'web', chartName: 'nginx' }, context);
  t.deepEqual(Object.keys(calls[0]?.request ?? {}).sort(), ['loadChart', 'namespace', 'releaseName']);
});

test('values that are no mapping fail with values_invalid and their line', async (t) => {
  const { handlers } = handlersWith({
    readValues() {
      throw Object.assign(new Error('did not find expected key'), { line: 7 });
    },
  });
  await t.throwsAsync(
    handlers.install_release({ namespace: 'a', releaseName: 'web', chartName: 'c', values: '[' }, context),
    {
      code: 'values_invalid',
      message: 'values: give a YAML mapping: did not find expected key',
    },
  );
});

test('an uninstallation answers the release and what was kept', async (t) => {
  const { handlers } = handlersWith();
  const answer = await handlers.uninstall_release({ namespace: 'shop', releaseName: 'web' }, context);
  t.deepEqual<unknown, unknown>(answer, { release, info: 'kept: secret/a' });
});

test('a list has of each release what a table needs', async (t) => {
  const { handlers, calls } = handlersWith();
  const { releases } = await handlers.list_releases({ namespace: undefined }, context);
  t.deepEqual(JSON.parse(JSON.stringify(releases)), [
    {
      name: 'web',
      namespace: 'shop',
      version: 3,
      info: { status: 'deployed' },
      chart: { metadata: { name: 'nginx', version: '1.2.3' } },
    },
  ]);
  t.deepEqual(calls[0]?.request, {});
});

test('a release is had by name and version, a Deployment by its name', async (t) => {
  const { handlers, calls } = handlersWith();
  await handlers.get_release({ namespace: 'shop', releaseName: 'web', version: 2 }, context);
  t.deepEqual(calls[0]?.request, { namespace: 'shop', releaseName: 'web', version: 2 });
  const { deployment } = await handlers.deployment_info({ namespace: 'shop', deploymentName: 'web' }, context);
  t.deepEqual(calls[1]?.request, { namespace: 'shop', name: 'web' });
  t.is(deployment?.['kind'], 'Deployment');
});
