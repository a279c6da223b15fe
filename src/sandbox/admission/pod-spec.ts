import { fieldAt, isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Path of the pod spec in each kind. */
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

/** Returns the pod spec in an object of a built-in kind, if it has one. */
export function podSpecOf(object: KubeObject): JsonObject | undefined {
  const path = podSpecPath(object.kind);
  const spec = path && fieldAt(object, ...path);
  return isJsonObject(spec) ? spec : undefined;
}
