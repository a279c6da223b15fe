import type { KubeObject } from '../../objects/object.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that can be large and that no rule reads. */
const contents: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data'],
  CustomResourceDefinition: ['spec'],
};

/** Returns an object without the fields that say nothing about its status. */
export function keptFields(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  const metadata = { ...without(object.metadata, ['managedFields']), name: object.metadata.name };
  const kept = annotations?.[lastApplied] === undefined ? {} : { annotations: without(annotations, [lastApplied]) };
  const { apiVersion, kind } = object;
  return { ...without(object, contents[kind] ?? []), apiVersion, kind, metadata: { ...metadata, ...kept } };
}

function without<Value>(fields: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
