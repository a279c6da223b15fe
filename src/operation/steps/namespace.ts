import type { Cluster } from '../../objects/cluster.ts';
import { OperationError } from '../error.ts';
import { hasCode } from '../error-code.ts';
import type { StepTools } from './steps.ts';
import { fieldManager } from '../apply/apply.ts';

/** Makes sure that the namespace is there: creates it, labelled as Helm does, where it is asked to. Throws `namespace_not_found`. */
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
    if (!hasCode(error, 'already_exists')) throw error;
  }
  tools.done(`${name} created`);
}

async function exists(cluster: Cluster, name: string, tools: StepTools): Promise<boolean> {
  try {
    const namespace = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }, tools.signal);
    if (namespace !== undefined) tools.skipped(`${name} is there`);
    return namespace !== undefined;
  } catch (error) {
    // who may work in a namespace need not be allowed to look at namespaces
    if (!hasCode(error, 'forbidden')) throw error;
    tools.skipped(`whether ${name} is there may not be asked`);
    return true;
  }
}
