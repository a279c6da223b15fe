import type { CommandParameters } from '../../src/protocol/commands/index.ts';
import { type Controller, roomLabel, scalesUp, setsStatus, startsDatabase } from './verdict-controllers.ts';
import {
  autoscaler,
  fickle,
  memoryHog,
  probe,
  quota,
  widget,
  widgetDefinitions,
  workload,
} from './verdict-manifests.ts';

/** A chart, and what becomes of its installation. */
export interface VerdictCase {
  name: string;
  title: string;
  /** Returns the text of the chart's template. `registry` is the address of a test registry. */
  manifest: (registry: string) => string;
  /** The release's status, or the code of the error. */
  outcome: 'deployed' | 'not_ready' | 'timeout';
  /** The code of the problem with which the wait ends. */
  problem?: string;
  /** A part of the problem's text. */
  text?: string;
  /** Whether it must end as soon as the cluster reports the failure. */
  isFatal?: boolean;
  /** Seconds that it must take at least. Default: 0. */
  leastSeconds?: number;
  /** Fields of the command that differ from the usual ones. */
  request?: Partial<CommandParameters['install_release']>;
  /** Definitions of the chart, by the names of their files. */
  crds?: Record<string, string>;
  /** Another program that acts in the cluster during the installation. */
  controller?: Controller;
}

const gone = {
  fatal: { outcome: 'not_ready', isFatal: true },
  ready: { outcome: 'deployed' },
} as const;

/** Waits that a false alarm would end: the grace of likely problems is shorter than the start. */
const longWait = { timeout: '120s', failGrace: '15s' };

/** Without a grace of its own, so that equal failures in a row end the wait after 15 s. */
const crashGrace = { timeout: '60s', failGrace: '' };

const definitions = Object.fromEntries(widgetDefinitions.map((text, index) => [`${index}.json`, text]));

/** In the benchmark, the time limit of each installation is 60 s if the request has no other. */
export const verdictCases: readonly VerdictCase[] = [
  {
    ...{ name: 'bad-image', title: 'an image that the registry does not have', ...gone.fatal },
    manifest: (registry) => workload({ image: `${registry}/missing:1` }),
    problem: 'image_not_found',
  },
  {
    ...{ name: 'bad-image-daemon', title: 'the same in a DaemonSet', ...gone.fatal },
    manifest: (registry) => workload({ kind: 'DaemonSet', image: `${registry}/missing:1` }),
    problem: 'image_not_found',
  },
  {
    ...{ name: 'busy-registry', title: 'a registry that responds with 429', outcome: 'timeout' },
    manifest: (registry) => workload({ image: `${registry}/busy:1` }),
    problem: 'registry_unavailable',
  },
  {
    ...{ name: 'missing-key', title: 'a key that a ConfigMap does not have', ...gone.fatal },
    manifest: () =>
      workload({
        container: {
          env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'mode' } } }],
        },
      }),
    problem: 'config_error',
  },
  {
    ...{ name: 'quota', title: 'a quota without room for pods', ...gone.fatal },
    manifest: () => `${quota}\n---\n${workload({})}`,
    problem: 'quota_exceeded',
  },
  {
    ...{ name: 'failing-job', title: 'a Job that fails', ...gone.fatal },
    manifest: () => workload({ kind: 'Job', args: ['fail'], spec: { backoffLimit: 0 } }),
    problem: 'job_failed',
  },
  {
    ...{ name: 'crash-probe', title: 'a crash loop behind a probe', outcome: 'not_ready' },
    manifest: () => workload({ args: ['fail', '-after', '1s'], container: { readinessProbe: probe } }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'crash', title: 'a crash loop without a probe, of runs of 2 s', outcome: 'not_ready' },
    manifest: () => workload({ args: ['fail', '-after', '2s'] }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'init', title: 'an init container that fails', outcome: 'not_ready' },
    manifest: () =>
      workload({ pod: { initContainers: [{ name: 'first', image: 'localhost/app:1', args: ['fail'] }] } }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'memory', title: 'a program that needs more memory than it may', outcome: 'not_ready' },
    manifest: () => memoryHog,
    ...{ problem: 'crash_loop', text: 'OOMKilled' },
  },
  {
    ...{ name: 'unschedulable', title: 'a pod that fits no node', outcome: 'not_ready' },
    manifest: () => workload({ container: { resources: { requests: { cpu: '900' } } } }),
    problem: 'unschedulable',
  },
  {
    ...{ name: 'probe', title: 'a readiness probe that fails', outcome: 'timeout' },
    manifest: () => workload({ container: { readinessProbe: { ...probe, httpGet: { path: '/', port: 9 } } } }),
    problem: 'probe_failed',
  },
  {
    ...{ name: 'slow', title: 'a start that takes 20 s', ...gone.ready },
    manifest: () => workload({ args: ['serve', '-after', '20s'], container: { readinessProbe: probe } }),
  },
  {
    ...{ name: 'crash-twice', title: 'a program that fails twice while its database starts', ...gone.ready },
    manifest: () => fickle,
    ...{ controller: startsDatabase(4), request: crashGrace },
  },
  {
    ...{ name: 'database', title: 'a program that fails until a database of its chart is ready', ...gone.ready },
    manifest: () => {
      const database = workload({ name: 'db', args: ['serve', '-after', '25s'], container: { readinessProbe: probe } });
      return [fickle, database].join('\n---\n');
    },
    ...{ controller: startsDatabase(25), request: crashGrace, leastSeconds: 25 },
  },
  {
    ...{ name: 'job-ttl', title: 'a Job that is deleted as soon as it has completed', ...gone.ready },
    manifest: () => workload({ kind: 'Job', args: ['sleep', '2s'], spec: { ttlSecondsAfterFinished: 0 } }),
  },
  {
    ...{ name: 'paused', title: 'a paused Deployment', ...gone.ready },
    manifest: () => workload({ spec: { paused: true } }),
  },
  {
    ...{ name: 'daemon', title: 'a DaemonSet', ...gone.ready },
    manifest: () => workload({ kind: 'DaemonSet', container: { readinessProbe: probe } }),
  },
  {
    ...{ name: 'slower', title: 'a start that takes 40 s', ...gone.ready },
    manifest: () => workload({ args: ['serve', '-after', '40s'], container: { readinessProbe: probe } }),
    ...{ request: longWait, leastSeconds: 40 },
  },
  {
    ...{ name: 'flapping', title: 'a pod that is ready for 4 s at a time, with `settle: 8s`', outcome: 'timeout' },
    manifest: () => workload({ args: ['serve', '-flap', '4s'], container: { readinessProbe: probe } }),
    request: { settle: '8s' },
  },
  {
    ...{ name: 'unsettled', title: 'the same without `settle`', ...gone.ready },
    manifest: () => workload({ args: ['serve', '-flap', '4s'], container: { readinessProbe: probe } }),
  },
  {
    ...{ name: 'autoscaled', title: 'a Deployment that an autoscaler scales', ...gone.ready },
    manifest: () => [workload({ container: { readinessProbe: probe } }), autoscaler].join('\n---\n'),
  },
  {
    ...{ name: 'scale-up', title: 'a pod for which a node is added after 30 s', ...gone.ready },
    manifest: () => workload({ pod: { nodeSelector: { [roomLabel]: 'yes' } } }),
    ...{ controller: scalesUp(30), request: longWait, leastSeconds: 30 },
  },
  {
    ...{ name: 'plain', title: 'a custom resource without conditions', ...gone.ready },
    manifest: () => widget.replace('Widget', 'Plain'),
    crds: definitions,
  },
  {
    ...{ name: 'conditions', title: 'a custom resource that becomes ready after 20 s', ...gone.ready },
    manifest: () => widget,
    crds: definitions,
    controller: setsStatus([
      [0, { type: 'Ready', status: 'False', reason: 'Starting' }],
      [20, { type: 'Ready', status: 'True', reason: 'Started' }],
    ]),
    ...{ request: longWait, leastSeconds: 20 },
  },
  {
    ...{ name: 'stalled', title: 'a custom resource that has stalled', ...gone.fatal },
    manifest: () => widget,
    crds: definitions,
    controller: setsStatus([
      [0, { type: 'Ready', status: 'False', reason: 'Starting' }],
      [3, { type: 'Stalled', status: 'True', reason: 'NoSuchThing' }],
    ]),
    problem: 'failed',
  },
];

/** The revisions of a StatefulSet: one that crashes, and its correction. */
export const statefulSets = {
  crashing: workload({ kind: 'StatefulSet', args: ['fail'], spec: { podManagementPolicy: 'Parallel' } }),
  fixed: workload({
    kind: 'StatefulSet',
    container: { readinessProbe: probe },
    spec: { podManagementPolicy: 'Parallel' },
  }),
};
