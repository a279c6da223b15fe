import { randomUUID } from 'node:crypto';
import type { OperationContext } from '../../../src/operation/context.ts';
import { install, resumeInstall } from '../../../src/operation/install.ts';
import type { PlannableOperation } from '../../../src/operation/plan/plan.ts';
import type { InstallRequest, RollbackRequest, TestRequest, UninstallRequest } from '../../../src/operation/request.ts';
import { resumeRollback, rollback } from '../../../src/operation/rollback.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import { operation as testOperation, testRelease } from '../../../src/operation/test-release.ts';
import { resumeUninstall, uninstall } from '../../../src/operation/uninstall.ts';
import { resumeUpgrade, upgrade } from '../../../src/operation/upgrade.ts';
import { configMap, deployment, hook, job } from '../manifests.ts';
import { type TextChart, textChart } from '../text-renderer.ts';

/** An operation with its request. */
export type OperationRequest = PlannableOperation | { verb: 'test'; request: TestRequest };

/** Operations on a release, of which the last one is interrupted. */
export interface Scenario {
  before: readonly Part[];
  interrupted: Part;
  /** Whether it is the performance of a plan. Default: false. */
  isPlanned?: boolean;
  /** The revisions at the end: `1:superseded`, `2:deployed`, … Default: they are not compared. */
  history?: readonly string[];
}

type Options = Partial<InstallRequest & RollbackRequest & UninstallRequest>;

/** A verb with its chart and its options. */
interface Part {
  verb: OperationRequest['verb'];
  chart?: TextChart;
  options?: Options;
}

const every = (when: string) => ['install', 'upgrade', 'rollback', 'delete'].map((verb) => `${when}-${verb}`).join(',');

const hooks = {
  'pre.yaml': job('pre', { annotations: hook(every('pre')) }),
  'pre-kept.yaml': configMap('pre-kept', '1', hook(every('pre'), { policy: 'hook-failed', weight: 1 })),
  'post.yaml': job('post', { annotations: hook(every('post'), { policy: 'hook-succeeded' }) }),
  'post-late.yaml': job('post-late', { annotations: hook(every('post'), { weight: 2 }) }),
};

const first = textChart(() => ({
  'a.yaml': configMap('a'),
  'r.yaml': configMap('random', randomUUID()),
  'b.yaml': configMap('b'),
  'd.yaml': deployment('web'),
  'k.yaml': configMap('kept', '1', { 'helm.sh/resource-policy': 'keep' }),
  ...hooks,
}));
const second = textChart({
  'a.yaml': configMap('a', '2'),
  'c.yaml': configMap('c'),
  'd.yaml': deployment('web', { image: 'localhost/app:2' }),
  'k.yaml': configMap('kept', '2', { 'helm.sh/resource-policy': 'keep' }),
  ...hooks,
});
const generated = textChart({
  'a.yaml': configMap('a', '5'),
  'pre.yaml': job('pre-', { annotations: hook('pre-upgrade', { policy: 'hook-succeeded' }) }).replace(
    '"name"',
    '"generateName"',
  ),
  'post.yaml': job('post-', { annotations: hook('post-upgrade', { policy: 'hook-succeeded' }) }).replace(
    '"name"',
    '"generateName"',
  ),
});
const failing = textChart({
  'a.yaml': configMap('a', '3'),
  'c.yaml': configMap('c'),
  'j.yaml': job('load', { args: ['fail'] }),
  'k.yaml': configMap('kept', '3', { 'helm.sh/resource-policy': 'keep' }),
  ...hooks,
});
const failingHook = textChart({
  'a.yaml': configMap('a', '4'),
  ...hooks,
  'bad.yaml': job('bad', { args: ['fail'], annotations: hook('pre-install,pre-upgrade', { weight: 2 }) }),
});
const failingRollback = textChart({
  'a.yaml': configMap('a'),
  'bad.yaml': job('bad', { args: ['fail'], annotations: hook('post-rollback') }),
});
const failingDeletion = textChart({
  'a.yaml': configMap('a'),
  'bad.yaml': job('bad', { args: ['fail'], annotations: hook('post-delete') }),
});

const tested = textChart({
  'a.yaml': configMap('a'),
  't.yaml': job('first-test', { annotations: hook('test', { policy: 'hook-succeeded' }) }),
  'u.yaml': job('second-test', { annotations: hook('test', { weight: 1 }) }),
});
const failingTest = textChart({
  'a.yaml': configMap('a'),
  't.yaml': job('first-test', { annotations: hook('test') }),
  'u.yaml': job('second-test', { args: ['fail'], annotations: hook('test', { weight: 1 }) }),
});

const plain = textChart({ 'a.yaml': configMap('a'), 'b.yaml': configMap('b') });
const changed = textChart({ 'a.yaml': configMap('a', '2'), 'c.yaml': configMap('c') });
const plainFailing = textChart({ 'a.yaml': configMap('a', '3'), 'j.yaml': job('load', { args: ['fail'] }) });

export const charts = [
  first,
  second,
  generated,
  failing,
  failingHook,
  failingRollback,
  failingDeletion,
  tested,
  failingTest,
  plain,
  changed,
  plainFailing,
];

const installFirst: Part = { verb: 'install', chart: first };

export const scenarios = {
  install: { before: [], interrupted: installFirst },
  'install over an uninstalled release': {
    before: [installFirst, { verb: 'uninstall', options: { keepHistory: true } }],
    interrupted: { verb: 'install', chart: second, options: { replace: true } },
  },
  'install that upgrades': {
    before: [installFirst],
    interrupted: { verb: 'install', chart: second, options: { upgrade: true } },
  },
  upgrade: { before: [installFirst], interrupted: { verb: 'upgrade', chart: second } },
  'upgrade with hooks whose names are generated': {
    before: [{ ...installFirst, options: { serverSide: false } }],
    interrupted: { verb: 'upgrade', chart: generated },
  },
  rollback: {
    before: [installFirst, { verb: 'upgrade', chart: second }],
    interrupted: { verb: 'rollback' },
  },
  uninstall: { before: [installFirst], interrupted: { verb: 'uninstall' } },
  'uninstall that keeps the history': {
    before: [installFirst, { verb: 'upgrade', chart: second }],
    interrupted: { verb: 'uninstall', options: { keepHistory: true } },
  },
  'uninstall with a failing hook': {
    before: [{ verb: 'install', chart: failingDeletion }],
    interrupted: { verb: 'uninstall' },
  },
  'planned install': { before: [], interrupted: installFirst, isPlanned: true },
  'planned upgrade': { before: [installFirst], interrupted: { verb: 'upgrade', chart: second }, isPlanned: true },
  'planned rollback': {
    before: [installFirst, { verb: 'upgrade', chart: second }],
    interrupted: { verb: 'rollback' },
    isPlanned: true,
  },
  'planned uninstall': { before: [installFirst], interrupted: { verb: 'uninstall' }, isPlanned: true },
  'planned upgrade that fails and is rolled back': {
    before: [installFirst],
    interrupted: { verb: 'upgrade', chart: failing },
    isPlanned: true,
    history: ['1:superseded', '2:failed', '3:deployed'],
  },
  test: { before: [{ verb: 'install', chart: tested }], interrupted: { verb: 'test' } },
  'failing test': { before: [{ verb: 'install', chart: failingTest }], interrupted: { verb: 'test' } },
  'failing atomic install': { before: [], interrupted: { verb: 'install', chart: failing } },
  'failing install': { before: [], interrupted: { verb: 'install', chart: failing, options: { atomic: false } } },
  'install with a failing hook': { before: [], interrupted: { verb: 'install', chart: failingHook } },
  'failing atomic upgrade': { before: [installFirst], interrupted: { verb: 'upgrade', chart: failing } },
  'failing upgrade with cleanup': {
    before: [installFirst],
    interrupted: { verb: 'upgrade', chart: failing, options: { atomic: false, cleanupOnFail: true } },
  },
  'atomic upgrade with a failing hook': {
    before: [installFirst],
    interrupted: { verb: 'upgrade', chart: failingHook, options: { cleanupOnFail: true } },
  },
  'failing rollback': {
    before: [
      { verb: 'install', chart: failingRollback },
      { verb: 'upgrade', chart: second },
    ],
    interrupted: { verb: 'rollback' },
  },
  'failing atomic upgrade whose rollback fails': {
    before: [{ verb: 'install', chart: failingRollback }],
    interrupted: { verb: 'upgrade', chart: failing },
  },
  'rollback to a revision above the history limit': {
    before: [
      { verb: 'install', chart: plain },
      { verb: 'upgrade', chart: changed },
      { verb: 'upgrade', chart: plain },
    ],
    interrupted: { verb: 'rollback', options: { historyLimit: 2 } },
    history: ['3:superseded', '4:deployed'],
  },
  'failing rollback to a revision above the history limit': {
    before: [
      { verb: 'install', chart: failingRollback },
      { verb: 'upgrade', chart: plain },
    ],
    interrupted: { verb: 'rollback', options: { historyLimit: 2 } },
    history: ['2:deployed', '3:failed'],
  },
  'failing atomic upgrade with a history limit': {
    before: [{ verb: 'install', chart: plain }],
    interrupted: { verb: 'upgrade', chart: plainFailing, options: { historyLimit: 2 } },
    history: ['1:superseded', '3:deployed'],
  },
  'install that replaces an uninstalled release': {
    before: [
      { verb: 'install', chart: plain },
      { verb: 'uninstall', options: { keepHistory: true } },
    ],
    interrupted: { verb: 'install', chart: changed, options: { replace: true } },
    history: ['1:superseded', '2:deployed'],
  },
  'install with upgrade over an uninstalled release': {
    before: [
      { verb: 'install', chart: plain },
      { verb: 'uninstall', options: { keepHistory: true } },
    ],
    interrupted: { verb: 'install', chart: changed, options: { upgrade: true } },
    history: ['1:superseded', '2:deployed'],
  },
} satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Returns the request of a part of a scenario. */
export function requestOf({ verb, chart, options = {} }: Part, namespace: string): OperationRequest {
  const name = { namespace, releaseName: 'web', timeout: 120_000, ...options };
  if (verb === 'rollback' || verb === 'uninstall' || verb === 'test') return { verb, request: name };
  if (chart === undefined) throw new Error(`${verb} needs a chart`);
  return { verb, request: { ...name, loadChart: () => Promise.resolve(chart.chart) } };
}

/** Runs an operation from its start. */
export async function start(context: OperationContext, operation: OperationRequest): Promise<unknown> {
  switch (operation.verb) {
    case 'install':
      return await install(context, operation.request);
    case 'upgrade':
      return await upgrade(context, operation.request);
    case 'rollback':
      return await rollback(context, operation.request);
    case 'uninstall':
      return await uninstall(context, operation.request);
    case 'test':
      return await testRelease(context, operation.request);
  }
}

/** Continues an operation from a state that was saved. */
export async function resume(
  context: OperationContext,
  state: OperationState,
  { verb, request }: OperationRequest,
): Promise<unknown> {
  switch (verb) {
    case 'install':
      return await resumeInstall(context, state, request);
    case 'upgrade':
      return await resumeUpgrade(context, state, request);
    case 'rollback':
      return await resumeRollback(context, state, request);
    case 'uninstall':
      return await resumeUninstall(context, state, request);
    case 'test':
      return await testOperation.resume?.(context, state, request);
  }
}
