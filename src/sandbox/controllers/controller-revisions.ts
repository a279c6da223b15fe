import type { KubeObject } from '../../objects/object.ts';
import { objectAt } from '../../objects/fields.ts';
import type { ControllerTools } from './controller.ts';
import { controlledBy, controllerReference, keyOf, templateHash, typeOf } from './workload.ts';

/** The label by which StatefulSets and DaemonSets tell their pods' revisions apart. */
export const revisionLabel = 'controller-revision-hash';

/** The name of the revision that the workload's template is; it is recorded as a ControllerRevision. */
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
