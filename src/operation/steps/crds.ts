import { isJsonObject } from '../../objects/fields.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../objects/object.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import { applyStrategy } from '../apply/strategy.ts';
import type { Cluster, ClusterCapabilities } from '../../objects/cluster.ts';
import type { OperationContext } from '../context.ts';
import { OperationError, withPrefix } from '../error.ts';
import { waitUntilReady } from '../wait/ready-wait.ts';
import type { StepTools } from './step-runner.ts';
import { resolveObjects, type ReleaseObject } from '../apply/release-object.ts';
import { timeLimit } from './time-limit.ts';

/** Time limit for CRDs to be established, as in Helm; in milliseconds. */
const establishTimeout = 60_000;
/** Time limit for discovery to list new kinds, which takes longer; in milliseconds. */
const discoveryTimeout = 10_000;
const discoveryInterval = 200;

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

/**
 * Installs CRDs that do not exist yet, and waits until they are established. Existing ones are not
 * changed. Returns the number of installed CRDs.
 */
export async function installCrds(
  context: OperationContext,
  files: readonly CrdManifest[],
  namespace: string,
  tools: StepTools,
): Promise<number> {
  const { cluster, host } = context;
  const installed: ReleaseObject[] = [];
  for (const file of files) {
    const prefix = failurePrefix(file);
    const objects = await resolveObjects(cluster, file.objects, namespace, { prefix, signal: tools.signal });
    for (const item of objects) {
      if ((await cluster.get(item.ref, tools.signal)) !== undefined) continue;
      try {
        await applyStrategy({ method: 'ssa' }, { ...tools, cluster }).create(item);
      } catch (error) {
        tools.signal.throwIfAborted();
        throw withPrefix(prefix, error);
      }
      installed.push(item);
    }
  }
  const limit = timeLimit(establishTimeout, [tools.signal]);
  try {
    const refs = installed.map(({ ref }) => ref);
    const ownTools = { ...tools, signal: limit.signal };
    await waitUntilReady(refs, { cluster, host, tools: ownTools, toCompletion: [], labelled: false });
  } finally {
    limit.close();
  }
  return installed.length;
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
