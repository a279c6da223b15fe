import type { ExecutionContext } from 'ava';
import type { KubeObject } from '../../src/objects/object.ts';
import { decodeRelease } from '../../src/release/codec.ts';
import { testProgram } from '../cli/support/program.ts';
import type { Harness } from './harness.ts';
import { runHelm, type Ended } from './helm.ts';
import { freeNamespace } from './namespaces.ts';

/** A release in two namespaces: helm drives one, and the agent the other. */
export interface Twins {
  helmNamespace: string;
  agentNamespace: string;
  /** Runs helm in its namespace. */
  helm(...args: string[]): Promise<Ended>;
  /** Runs `helm-agent ctl` in the agent's namespace. */
  ctl(...args: string[]): Promise<Ended>;
  /** Returns all differences between objects and records of the two namespaces. */
  differences(): Promise<string[]>;
}

type Kinds = readonly (readonly [apiVersion: string, kind: string])[];

const usualKinds: Kinds = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
];

/** Name of the release in both namespaces. */
export const releaseName = 'site';

/** Returns twins that are deleted when the test ends. Compares the usual kinds and `moreKinds`. */
export function newTwins(t: ExecutionContext, harness: Harness, moreKinds: Kinds = []): Twins {
  const helmNamespace = freeNamespace(t, harness.cluster);
  const agentNamespace = freeNamespace(t, harness.cluster);
  return {
    helmNamespace,
    agentNamespace,
    helm: (...args) => runHelm('helm4', ...args, '--namespace', helmNamespace),
    ctl: (...args) => runCtl(harness, ...args, '--namespace', agentNamespace),
    async differences() {
      const [ofHelm, ofAgent] = await Promise.all(
        [helmNamespace, agentNamespace].map((namespace) => stateOf(harness, namespace, [...usualKinds, ...moreKinds])),
      );
      return compare(ofHelm, ofAgent, '');
    },
  };
}

/** Runs `helm-agent ctl` with the agent of the harness. */
export async function runCtl({ url, agentId }: Harness, ...args: string[]): Promise<Ended> {
  const { run, stdout, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url } });
  const code = await run('ctl', ...args, '--agent', agentId);
  return { stdout: stdout.text, stderr: stderr.text, code };
}

/** Returns the objects and the decoded records of a namespace, without what differs in each run. */
async function stateOf({ cluster }: Harness, namespace: string, kinds: Kinds): Promise<unknown> {
  const lists = await Promise.all(kinds.map(([apiVersion, kind]) => cluster.list({ apiVersion, kind, namespace })));
  const objects = lists
    .flat()
    .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt' && metadata.deletionTimestamp === undefined)
    .map((object) => [`${object.kind}/${object.metadata.name}`, stable(object)] as const);
  const secrets = await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace, labelSelector: 'owner=helm' });
  const records = await Promise.all(secrets.map(recordOf));
  const text = JSON.stringify({ objects: Object.fromEntries(objects), records: Object.fromEntries(records) });
  const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
  const uids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const clusterIps = /"10(\.\d+){3}"/g;
  const stableText = text.replaceAll(namespace, 'NAMESPACE').replace(times, 'TIME').replace(uids, 'UID');
  return JSON.parse(stableText.replace(clusterIps, '"IP"')) as unknown;
}

async function recordOf({ metadata, data }: KubeObject): Promise<[string, unknown]> {
  const encoded = (data as { release: string }).release; // as Helm stores it
  const release = await decodeRelease(Buffer.from(encoded, 'base64').toString());
  const { createdAt, modifiedAt, ...labels } = metadata.labels ?? {};
  return [metadata.name, { labels, isTimed: createdAt !== undefined || modifiedAt !== undefined, release }];
}

function stable({ status: _status, metadata, ...object }: KubeObject): unknown {
  const { name, labels, annotations, managedFields = [] } = metadata;
  const managers = (managedFields as { manager: string; operation: string; fieldsV1: unknown; subresource?: string }[])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  const own = Object.entries(annotations ?? {}).filter(([key]) => key !== 'deployment.kubernetes.io/revision');
  return { ...object, metadata: { name, labels, annotations: Object.fromEntries(own), managers } };
}

function compare(a: unknown, b: unknown, path: string): string[] {
  if (isObject(a) && isObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
    return keys.flatMap((key) => compare(a[key], b[key], `${path}/${key}`));
  }
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left === right ? [] : [`${path}: helm has ${left}, the agent ${right}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
