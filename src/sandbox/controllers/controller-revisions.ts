import { objectAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ControllerTools } from './controller.ts';
import { templateHash } from './pod-template.ts';
import { controlledBy, controllerReference, keyOf, typeOf } from './workload.ts';

/** Label of a pod with the hash of its ControllerRevision. */
export const revisionLabel = 'controller-revision-hash';

/**
 * Returns the revision of the workload's template. Creates its ControllerRevision if there is none.
 */
export function currentRevision(tools: ControllerTools, workload: KubeObject): { name: string; hash: string } {
  const template = objectAt(workload, 'spec', 'template');
  const hash = templateHash(template);
  const { namespace, name: owner } = keyOf(workload);
  const name = `${owner}-${hash}`;
  const known = controlledBy(tools, workload, 'apps/controllerrevisions');
  if (!known.some(({ metadata }) => metadata.name === name)) {
    tools.objects.create(typeOf(tools, 'apps/v1', 'ControllerRevision'), namespace, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name,
        namespace,
        labels: { [revisionLabel]: hash },
        ownerReferences: [controllerReference(workload)],
      },
      data: { spec: { template: { ...template, $patch: 'replace' } } },
      revision: known.length + 1,
    });
  }
  return { name, hash };
}
