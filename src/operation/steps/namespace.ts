import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { PolicyError } from '../../policy/policy-error.ts';
import type { ApplyMethod } from '../apply/apply-settings.ts';
import { warningReporter } from '../apply/warnings.ts';
import { fieldManager } from '../apply/write.ts';
import type { StepTools } from './step-runner.ts';

export interface NamespaceOptions {
  /** Whether it is created if it does not exist. */
  create: boolean;
  method: ApplyMethod;
}

/**
 * Applies the namespace with Helm's label, whether it exists or not, or creates it if the release
 * is client-side (pkg/action/install.go). Without `create`, the record of the release shows whether
 * it exists.
 *
 * Unlike in Helm, a namespace that exists but cannot be changed is used as it is, because creating
 * it is the default here: the agent may have permissions in a namespace only, and a policy may not
 * allow it.
 */
export async function ensureNamespace(
  cluster: Cluster,
  name: string,
  { create: isWanted, method }: NamespaceOptions,
  tools: StepTools,
): Promise<void> {
  if (!isWanted) {
    tools.skipped('not requested');
    return;
  }
  // with the empty spec, the managed fields are those of Helm
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } }, spec: {} };
  const onWarning = warningReporter((text) => tools.report({ message: `warning of the API server: ${text}` }));
  const options = { fieldManager, signal: tools.signal, onWarning };
  const create = async (): Promise<string> => {
    await cluster.create(object, options);
    return `${name} created`;
  };
  const apply = async (): Promise<string> => {
    await cluster.apply(object, options);
    return `${name} applied`;
  };
  try {
    // the agent may be allowed to create namespaces, but not to change them
    tools.done(method === 'ssa' ? await apply().catch(ifForbidden(create)) : await create());
  } catch (error) {
    tools.signal.throwIfAborted();
    if (hasClusterErrorCode(error, 'already_exists')) tools.skipped(`${name} exists`);
    else if (error instanceof PolicyError) tools.skipped(`the policy does not allow to change namespace ${name}`);
    else if (hasClusterErrorCode(error, 'forbidden')) tools.skipped(`no permission to change namespace ${name}`);
    else if (hasClusterErrorCode(error, 'conflict')) tools.skipped(`${name} exists, with a label of another manager`);
    else throw error;
  }
}

/** Returns a function that calls `instead` for such an error, and throws all others. */
function ifForbidden<T>(instead: () => Promise<T>): (error: unknown) => Promise<T> {
  return async (error) => {
    if (!hasClusterErrorCode(error, 'forbidden')) throw error;
    return instead();
  };
}
