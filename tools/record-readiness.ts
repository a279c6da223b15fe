// Records objects of a real cluster for the table tests of readiness and problems:
//   KUBECONFIG=FILE npm run -s record:readiness
// Applies the workload of each case in test/e2e/verdict-cases.ts in a namespace of its own, waits
// until its problem or its readiness shows, and writes it with its ReplicaSets, pods and events to
// test/readiness/fixtures/recorded.json. Names of nodes, addresses and uids are replaced. The node
// must be on this machine, where the registry of the cases is.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { connectCluster } from '../src/kube/cluster.ts';
import type { KubeObject } from '../src/objects/object.ts';
import { problemOf } from '../src/readiness/diagnosis.ts';
import type { RelatedObjects } from '../src/readiness/related-objects.ts';
import { waitReadiness } from '../src/readiness/wait-readiness.ts';
import { serveRegistry } from '../test/e2e/registry.ts';
import { type VerdictCase, verdictCases } from '../test/e2e/verdict-cases.ts';

const file = process.env['KUBECONFIG'];
if (file === undefined) {
  console.error('usage: KUBECONFIG=FILE npm run -s record:readiness');
  process.exit(2);
}

/** Number of workloads at the same time, and the seconds after which a case is given up. */
const concurrency = 4;
const patience = 90;

/** Its workload deletes itself. */
const unrecorded: ReadonlySet<string> = new Set(['job-ttl']);

const cluster = connectCluster({ text: readFileSync(file, 'utf8') });
const registry = await serveRegistry();

async function record(test: VerdictCase) {
  const namespace = `e2e-record-${test.name}`;
  const ref = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  try {
    const objects = test
      .manifest(registry.address)
      .split('\n---\n')
      .map((text) => JSON.parse(text) as KubeObject); // as the cases write them
    for (const object of objects) {
      const metadata = { ...object.metadata, namespace };
      await cluster.apply({ ...object, metadata }, { fieldManager: 'recorder' });
    }
    const { apiVersion, kind, metadata } = objects.at(-1) ?? { metadata: { name: '' }, apiVersion: '', kind: '' };
    for (let second = 0; second < patience; second++) {
      await sleep(1000);
      const workload = await cluster.get({ apiVersion, kind, namespace, name: metadata.name });
      const related = await relatedTo(namespace);
      if (workload !== undefined && isReached(test, workload, related)) {
        const { title, problem } = test;
        return scrubbed({ title, ...(problem !== undefined && { problem }), workload, ...related }, namespace);
      }
    }
    throw new Error(`${test.title}: nothing to record after ${patience} s`);
  } finally {
    await cluster.delete(ref);
  }
}

async function relatedTo(namespace: string): Promise<RelatedObjects> {
  const [replicaSets, pods, events] = await Promise.all([
    cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace }),
    cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }),
    cluster.list({ apiVersion: 'v1', kind: 'Event', namespace }),
  ]);
  return { replicaSets, pods, events };
}

function isReached({ problem }: VerdictCase, workload: KubeObject, related: RelatedObjects): boolean {
  if (problem !== undefined) return problemOf(workload, related)?.code === problem;
  const options = { now: Date.now(), toCompletion: ['Job'] } as const;
  return waitReadiness(workload, () => related, options).status === 'Current';
}

/** Removes what no rule reads, and replaces what tells one cluster from another. */
function scrubbed<Value>(value: Value, namespace: string): Value {
  const uids = new Map<string, string>();
  const text = JSON.stringify(value, (key, field: unknown) => {
    if (key === 'managedFields' || key === 'imageID' || key === 'containerID') return undefined;
    if (key === 'nodeName' || key === 'host') return 'node-1';
    return field;
  })
    .replaceAll(namespace, 'shop')
    .replaceAll(registry.address, 'registry.example')
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (uid) => {
      const known = uids.get(uid) ?? `uid-${uids.size + 1}`;
      uids.set(uid, known);
      return known;
    })
    .replace(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '192.0.2.1');
  return JSON.parse(text) as Value; // the same shape
}

try {
  const cases = verdictCases.filter(({ name }) => !unrecorded.has(name));
  const recorded = await pMap(cases, record, { concurrency });
  const lines = recorded.map((one) => JSON.stringify(one)).join(',\n');
  writeFileSync(new URL('../test/readiness/fixtures/recorded.json', import.meta.url), `[\n${lines}\n]\n`);
  console.log(`recorded.json: ${recorded.length} workloads`);
} finally {
  registry.close();
  await cluster.close();
}
