import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { OperationError } from '../error.ts';
import type { StepTools } from './step-runner.ts';
import { fieldManager } from '../apply/write.ts';

/**
 * Checks that the namespace exists. If it does not, creates it with Helm's label, or throws
 * `namespace_not_found` if `create` is false.
 */
export async function ensureNamespace(
  cluster: Cluster,
  name: string,
  create: boolean,
  tools: StepTools,
): Promise<void> {
  if (await exists(cluster, name, tools)) return;
  if (!create) throw new OperationError('namespace_not_found', `namespaces ${JSON.stringify(name)} not found`);
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } } };
  try {
    await cluster.create(object, { fieldManager, signal: tools.signal });
  } catch (error) {
    if (!hasClusterErrorCode(error, 'already_exists')) throw error;
  }
  tools.done(`${name} created`);
}

async function exists(cluster: Cluster, name: string, tools: StepTools): Promise<boolean> {
  try {
    const namespace = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }, tools.signal);
    if (namespace !== undefined) tools.skipped(`${name} exists`);
    return namespace !== undefined;
  } catch (error) {
    // the agent may have permissions in a namespace only
    if (!hasClusterErrorCode(error, 'forbidden')) throw error;
    tools.skipped(`no permission to read namespace ${name}`);
    return true;
  }
}
