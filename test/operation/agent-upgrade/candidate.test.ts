import test from 'ava';
import type { KubeObject } from '../../../src/objects/object.ts';
import { type Candidate, candidateOf } from '../../../src/operation/agent-upgrade/candidate.ts';

const namespace = 'agents';

interface PodFacts {
  name?: string;
  template?: string;
  isReady?: boolean;
  status?: object;
  deletionTimestamp?: string;
}

function pod({ name = 'agent-new', template = 'new', isReady = true, status = {}, ...metadata }: PodFacts): KubeObject {
  const running = { name: 'helm-agent', restartCount: 0, ready: isReady, state: { running: { startedAt: 'T' } } };
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, namespace, labels: { 'pod-template-hash': template }, ...metadata },
    spec: { containers: [{ name: 'helm-agent', image: 'agent:2' }] },
    status: {
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ ...running, ...status }],
    },
  };
}

function deployment(status: object = {}): KubeObject {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'agent', namespace, generation: 2 } },
    spec: { replicas: 1 },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, ...status },
  };
}

function lease(holder: string): KubeObject {
  const metadata = { name: 'lease', namespace };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { holderIdentity: holder } };
}

function seen(pods: readonly KubeObject[], holder = 'agent-new_1', status?: object): Candidate {
  return candidateOf({ deployment: deployment(status), lease: lease(holder), pods, oldTemplate: 'old' });
}

test('the pod that holds the Lease leads', (t) => {
  t.deepEqual(seen([pod({}), pod({ name: 'agent-other' })]), {
    isRolledOut: true,
    isRunning: true,
    leader: { run: 'agent-new_1 0 T', pod: 'agent-new', image: 'agent:2', isReady: true },
  });
});

test('a pod whose name is only the start of the holder does not lead', (t) => {
  t.is(seen([pod({ name: 'agent' })], 'agent-new_1').leader, undefined);
});

test('a pod that is being deleted does not lead', (t) => {
  t.is(seen([pod({ deletionTimestamp: '2026-01-01T00:00:00Z' })]).leader, undefined);
});

test('a pod that is being deleted and holds the Lease keeps the others from leading', (t) => {
  const old = pod({ name: 'agent-old', template: 'old', deletionTimestamp: '2026-01-01T00:00:00Z' });
  const { stopping, waitsFor } = seen([old, pod({})], 'agent-old_1');
  t.is(stopping, 'agent-old');
  t.is(waitsFor, 'pod agent-old is stopping, and still leads');
  t.is(seen([old, pod({})]).stopping, undefined);
});

test('a new version runs if the containers of all its pods do', (t) => {
  const waiting = { state: { waiting: { reason: 'ContainerCreating' } } };
  t.true(seen([pod({ isReady: false })]).isRunning);
  t.is(seen([pod({}), pod({ name: 'agent-2', isReady: false, status: waiting })]).isRunning, undefined);
  t.is(seen([pod({ template: 'old' })]).isRunning, undefined);
});

test('a new run of the container is another run, also as long as the Lease has the process before', (t) => {
  const runs = [0, 1].map((restartCount) => seen([pod({ status: { restartCount } })]).leader?.run);
  t.not(runs[0], runs[1]);
});

const unfinished: [title: string, status: object][] = [
  ['a Deployment whose controller has not seen the change', { observedGeneration: 1 }],
  ['a Deployment with an old pod', { replicas: 2 }],
  ['a Deployment without a new pod', { updatedReplicas: 0, replicas: 0 }],
];
for (const [title, status] of unfinished) {
  test(`${title} is not rolled out`, (t) => {
    const candidate = seen([pod({})], 'agent-new_1', status);
    t.false(candidate.isRolledOut);
    t.is(candidate.waitsFor, 'the new pods are not in place');
  });
}

test('a leader that is not ready may not have connected', (t) => {
  t.regex(seen([pod({ isReady: false })]).waitsFor ?? '', /agent-new leads and is not ready/);
});

test('a container that has crashed once may run again, and one that has twice is hopeless', (t) => {
  const lastState = { terminated: { exitCode: 9, reason: 'Error', message: 'line 1\nunknown flag: --journal' } };
  t.is(seen([pod({ isReady: false, status: { restartCount: 1, lastState } })]).problem, undefined);
  t.is(
    seen([pod({ isReady: false, status: { restartCount: 2, lastState } })]).problem,
    'pod agent-new crashes: 2 runs have ended, the last one with exit code 9 (Error): line 1 unknown flag: --journal',
  );
});

test('crashes of the version before do not count', (t) => {
  const lastState = { terminated: { exitCode: 9 } };
  t.is(seen([pod({ template: 'old', status: { restartCount: 5, lastState } })]).problem, undefined);
});

test('an image with a wrong name is hopeless', (t) => {
  const waiting = { reason: 'InvalidImageName', message: 'cannot parse' };
  const status = { state: { waiting }, restartCount: 0 };
  t.regex(seen([pod({ isReady: false, status })]).problem ?? '', /InvalidImageName/);
});

test('the output of a container is bounded, and has no control characters', (t) => {
  const message = `${'a'.repeat(1_000_000)}\u0007\u2028end`;
  const lastState = { terminated: { exitCode: 9, message } };
  const { problem = '' } = seen([pod({ isReady: false, status: { restartCount: 2, lastState } })]);
  t.true(problem.length < 1000);
  t.true(problem.endsWith('a  end'));
});

test('objects without a status are not ready', (t) => {
  const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'agent-new' } };
  const empty = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'agent' } };
  const candidate = candidateOf({ deployment: empty, lease: undefined, pods: [bare], oldTemplate: 'old' });
  t.false(candidate.isRolledOut);
  t.is(candidate.leader, undefined);
});
