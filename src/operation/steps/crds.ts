import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ClusterCapabilities } from '../../objects/cluster.ts';
import { isJsonObject, objectsAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { steeringAnnotations } from '../../readiness/index.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import type { ApplySettings } from '../apply/apply-settings.ts';
import { forEach } from '../apply/concurrency.ts';
import { type CrdPolicy, crdStrategy } from '../apply/crd-strategy.ts';
import { resolveObjects } from '../apply/release-object.ts';
import { seenObject } from '../apply/seen-object.ts';
import { OperationError, withPrefix } from '../error.ts';
import { timeLimit } from '../time-limit.ts';
import { failFastOf } from '../wait/judge.ts';
import { waitUntilReady } from '../wait/ready.ts';
import type { WorkContext } from '../work.ts';
import type { StepTools } from './step-runner.ts';

/** Time limit for CRDs to be established, as in Helm; in milliseconds. */
const establishTimeout = 60_000;
/** Time limit for discovery to list new kinds, which takes longer; in milliseconds. */
const discoveryTimeout = 10_000;
const discoveryInterval = 50;

/**
 * Returns the API versions that CRD files define, as in discovery: `group/version` and
 * `group/version/Kind`. Throws `invalid_manifest`.
 */
export function definedApiVersions(files: readonly CrdManifest[]): string[] {
  const objects = files.flatMap((file) => {
    if (file.objects.length > 0) return file.objects;
    throw new OperationError('invalid_manifest', `${failurePrefix(file)}: resources are empty`);
  });
  return [...new Set(objects.flatMap(({ object }) => versionsOf(object)))];
}

function versionsOf({ kind, spec }: KubeObject): string[] {
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec)) return [];
  const { group, names, versions } = spec;
  if (typeof group !== 'string' || !Array.isArray(versions)) return [];
  return versions.flatMap((version: unknown) => {
    if (!isJsonObject(version) || version['served'] === false) return [];
    const groupVersion = `${group}/${String(version['name'])}`;
    return isJsonObject(names) ? [groupVersion, `${groupVersion}/${String(names['kind'])}`] : [groupVersion];
  });
}

/** The CRDs that were applied, or existed and were left. */
export interface InstalledCrds {
  /** Number of CRDs that were created or changed. */
  count: number;
  /** The API versions that all of them serve, as in discovery. */
  apiVersions: string[];
}

export interface CrdOptions {
  namespace: string;
  policy: 'apply' | Exclude<CrdPolicy, 'skip'>;
  settings: ApplySettings;
}

/** Brings CRDs to the cluster by a policy, and waits until they are established. */
export async function installCrds(
  context: WorkContext,
  files: readonly CrdManifest[],
  { namespace, policy, settings }: CrdOptions,
  tools: StepTools,
): Promise<InstalledCrds> {
  const { cluster } = context;
  const { signal } = tools;
  const applyCrd = crdStrategy(policy, settings, { ...tools, cluster, watching: context });
  const found = await forEach(files, async (file) => {
    const prefix = failurePrefix(file);
    const objects = await resolveObjects(cluster, file.objects, namespace, { prefix, signal });
    try {
      return await forEach(objects, async (item) => ({ ...(await applyCrd(item)), item }));
    } catch (error) {
      signal.throwIfAborted();
      throw withPrefix(prefix, error);
    }
  });
  const crds = found.flat();
  const limit = timeLimit(establishTimeout, [signal]);
  const failFast = failFastOf({}, establishTimeout);
  try {
    const pending = crds.filter(({ isChanged, live }) => isChanged && !isEstablished(live));
    const seen = pending.map(({ item: { ref, object }, live }) => {
      return { ...seenObject(ref, live), steering: steeringAnnotations(object) };
    });
    const ownTools = { ...tools, signal: limit.signal };
    const options = { context, tools: ownTools, toCompletion: [], labelled: false, failFast };
    if (seen.length > 0) await waitUntilReady(seen, options);
  } finally {
    limit.close();
  }
  return {
    count: crds.filter(({ isChanged }) => isChanged).length,
    apiVersions: [...new Set(crds.flatMap(({ live }) => versionsOf(live)))],
  };
}

function isEstablished(crd: KubeObject): boolean {
  return objectsAt(crd, 'status', 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');
}

/** Reads discovery until it lists these versions, but returns it after some seconds in any case. */
export async function capabilitiesWith(
  cluster: Cluster,
  apiVersions: readonly string[],
  signal: AbortSignal,
): Promise<ClusterCapabilities> {
  for (let attempts = discoveryTimeout / discoveryInterval; ; attempts -= 1) {
    const capabilities = await cluster.capabilities(signal);
    const listed = new Set(capabilities.apiVersions);
    if (attempts === 0 || apiVersions.every((version) => listed.has(version))) return capabilities;
    await sleep(discoveryInterval, undefined, { signal });
  }
}

function failurePrefix({ name }: CrdManifest): string {
  return `failed to install CRD ${name}`;
}
