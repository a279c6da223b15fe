import { randomBytes } from 'node:crypto';
import type { ExecutionContext, TestFn } from 'ava';
import anyTest from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { KubeObject, ObjectRef } from '../../src/objects/object.ts';
import type { OperationContext } from '../../src/operation/context.ts';
import { install } from '../../src/operation/install.ts';
import type { Progress, StepName } from '../../src/operation/progress.ts';
import type { InstallRequest, RollbackRequest, UninstallRequest, UpgradeRequest } from '../../src/operation/request.ts';
import { rollback } from '../../src/operation/rollback.ts';
import { uninstall, type Uninstalled } from '../../src/operation/uninstall.ts';
import { upgrade } from '../../src/operation/upgrade.ts';
import { history } from '../../src/release/history.ts';
import type { Release } from '../../src/release/release.ts';
import { openStorage } from '../../src/release/storage/kube-storage.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { realHost } from '../support/host.ts';
import { type TextChart, textRenderer } from './text-renderer.ts';

/** A new namespace, and operations in it. */
export interface World {
  namespace: string;
  cluster: Cluster;
  /** Progress of all operations. */
  progress: Progress[];
  context(overrides?: Partial<OperationContext>): OperationContext;
  /** Returns the new revision. */
  install(chart: TextChart, request?: Partial<InstallRequest>, context?: Partial<OperationContext>): Promise<Release>;
  upgrade(chart: TextChart, request?: Partial<UpgradeRequest>, context?: Partial<OperationContext>): Promise<Release>;
  rollback(request?: Partial<RollbackRequest>, context?: Partial<OperationContext>): Promise<Release>;
  uninstall(request?: Partial<UninstallRequest>, context?: Partial<OperationContext>): Promise<Uninstalled>;
  /** `1:superseded`, `2:deployed`, … */
  history(): Promise<string[]>;
  stored(version: number): Promise<Release | undefined>;
  find(kind: string, name: string): Promise<KubeObject | undefined>;
}

interface Shared {
  cluster: Cluster;
  /** Of the sandbox. */
  kubeconfig: string;
}

export const releaseName = 'web';

/** Returns ava's `test` with one sandbox for the file. */
export function sandboxTest(): TestFn<Shared> {
  const test = anyTest as TestFn<Shared>;
  const closing: (() => Promise<void>)[] = [];
  let shared: Shared | undefined;
  test.before(async () => {
    const sandbox = await startSandbox({ host: realHost, scheme: 'http', speed: 20 });
    const connected = connectCluster({ text: sandbox.kubeconfig });
    shared = { cluster: connected, kubeconfig: sandbox.kubeconfig };
    closing.push(
      () => connected.close(),
      () => sandbox.close(),
    );
  });
  test.beforeEach((t) => {
    if (shared) t.context = shared;
  });
  test.after.always(async () => {
    for (const close of closing) await close();
  });
  return test;
}

export function newWorld(t: ExecutionContext<Shared>, ...charts: TextChart[]): World {
  const { cluster } = t.context;
  const namespace = `op-${randomBytes(4).toString('hex')}`;
  const progress: Progress[] = [];
  const storage = openStorage('secret', {
    cluster,
    host: realHost,
    onUnreadable(error) {
      throw error;
    },
  });
  const renderer = textRenderer(charts);
  const context: World['context'] = (overrides) => ({
    cluster,
    storage,
    renderer,
    host: realHost,
    signal: new AbortController().signal,
    progress: (item) => void progress.push(item),
    ...overrides,
  });
  const name = { namespace, releaseName };
  const of = ({ chart }: TextChart) => ({ ...name, timeout: 55_000, loadChart: () => Promise.resolve(chart) });
  return {
    namespace,
    cluster,
    progress,
    context,
    install: async (chart, request, overrides) =>
      (await install(context(overrides), { ...of(chart), ...request })).release,
    upgrade: async (chart, request, overrides) =>
      (await upgrade(context(overrides), { ...of(chart), ...request })).release,
    rollback: (request, overrides) => rollback(context(overrides), { ...name, timeout: 55_000, ...request }),
    uninstall: (request, overrides) => uninstall(context(overrides), { ...name, timeout: 55_000, ...request }),
    async history() {
      const revisions = await history(storage, namespace, releaseName);
      return revisions.map(({ release }) => `${release.version}:${release.info.status}`);
    },
    stored: async (version) => (await storage.get({ namespace, name: releaseName, version }))?.release,
    find: (kind, objectName) => cluster.get(refOf(kind, namespace, objectName)),
  };
}

/**
 * Ends the time limit of an operation when a resource is reported with the status, however long
 * that takes on a busy machine.
 */
export function timeUpWhen({ progress }: World, status: RegExp): Partial<OperationContext> {
  let isTimeUp = false;
  const running = new Set<() => void>();
  return {
    startTimer(_, onEnd) {
      running.add(onEnd);
      return () => running.delete(onEnd);
    },
    progress(item) {
      progress.push(item);
      if (isTimeUp || !statusTexts(item).some((text) => status.test(text))) return;
      isTimeUp = true;
      for (const end of running) setImmediate(end);
    },
  };
}

function refOf(kind: string, namespace: string, name: string): ObjectRef {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : kind === 'Job' ? 'batch/v1' : 'v1';
  return { apiVersion, kind, namespace, name };
}

/** Returns the ends of the steps: `load:done`, `crds:skipped` and so on. */
export function stepEnds(progress: readonly Progress[]): string[] {
  return progress.filter(({ state }) => state !== 'running').map(({ step, state }) => `${step}:${state}`);
}

/** Returns the reported statuses of a resource, such as `InProgress Available: 0/1`. */
export function statusesOf(progress: readonly Progress[], name: string, step?: StepName): string[] {
  return progress.filter((item) => step === undefined || item.step === step).flatMap((item) => statusTexts(item, name));
}

function statusTexts({ resources = [] }: Progress, name?: string): string[] {
  return resources
    .filter((resource) => name === undefined || resource.name === name)
    .map(({ status, reason }) => (reason === undefined ? status : `${status} ${reason}`));
}
