import type { KubeObject } from '../../objects/object.ts';
import { isJsonObject, fieldAt, type JsonObject } from '../../objects/fields.ts';

/** Where each kind keeps the spec of the pods that it makes. */
const pathOfKind: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  PodTemplate: ['template', 'spec'],
  ReplicationController: ['spec', 'template', 'spec'],
  Deployment: ['spec', 'template', 'spec'],
  ReplicaSet: ['spec', 'template', 'spec'],
  StatefulSet: ['spec', 'template', 'spec'],
  DaemonSet: ['spec', 'template', 'spec'],
  Job: ['spec', 'template', 'spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

export function podSpecPath(kind: string): readonly string[] | undefined {
  return Object.hasOwn(pathOfKind, kind) ? pathOfKind[kind] : undefined;
}

/** The pod spec inside an object of a built-in kind. */
export function podSpecOf(object: KubeObject): JsonObject | undefined {
  const path = podSpecPath(object.kind);
  const spec = path && fieldAt(object, ...path);
  return isJsonObject(spec) ? spec : undefined;
}
