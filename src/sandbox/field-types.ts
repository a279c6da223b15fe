import { isJson, objectAt, objectsAt, valueAt, type Json } from './json.ts';
import { podSpecPath } from './pod-spec.ts';
import type { ResourceType } from './resource-type.ts';

/** The first field of a wrong JSON type that charts come across, in the words of Go's decoder; undefined where there is none. */
export function typeMismatch(type: ResourceType, object: Json): string | undefined {
  const metadata = object['metadata'];
  if (!isJson(metadata)) return unmarshal(metadata, `${type.kind}.metadata`, 'v1.ObjectMeta');
  return (
    stringFieldMismatch(metadata, 'name', 'ObjectMeta.metadata') ??
    stringFieldMismatch(metadata, 'namespace', 'ObjectMeta.metadata') ??
    stringMapMismatch(metadata['labels'], 'ObjectMeta.metadata.labels') ??
    stringMapMismatch(metadata['annotations'], 'ObjectMeta.metadata.annotations') ??
    (type.custom ? undefined : builtinMismatch(type, object))
  );
}

function builtinMismatch(type: ResourceType, object: Json): string | undefined {
  if (type.kind === 'ConfigMap' || type.kind === 'Secret') {
    return (
      stringMapMismatch(object['data'], `${type.kind}.data`) ??
      stringMapMismatch(object['stringData'], `${type.kind}.stringData`)
    );
  }
  const path = podSpecPath(type.kind);
  if (path === undefined) return undefined;
  const template = path.slice(0, -1);
  return (
    (template.length > 0
      ? stringMapMismatch(
          valueAt(object, ...template, 'metadata', 'labels'),
          `ObjectMeta.${template.join('.')}.metadata.labels`,
        )
      : undefined) ??
    (template.length > 0
      ? stringMapMismatch(
          valueAt(object, ...template, 'metadata', 'annotations'),
          `ObjectMeta.${template.join('.')}.metadata.annotations`,
        )
      : undefined) ??
    replicasMismatch(type, object) ??
    containersMismatch(objectAt(object, ...path), path.join('.'))
  );
}

function replicasMismatch(type: ResourceType, object: Json): string | undefined {
  const replicas = valueAt(object, 'spec', 'replicas');
  if (replicas === undefined || replicas === null || typeof replicas === 'number') return undefined;
  return unmarshal(replicas, `${type.kind}Spec.spec.replicas`, 'int32');
}

function containersMismatch(spec: Json, path: string): string | undefined {
  for (const list of ['initContainers', 'containers']) {
    for (const container of objectsAt(spec, list)) {
      for (const variable of objectsAt(container, 'env')) {
        const mismatch = stringFieldMismatch(variable, 'value', `EnvVar.${path}.${list}.env`);
        if (mismatch !== undefined) return mismatch;
      }
      const mismatch =
        stringListMismatch(container['args'], `Container.${path}.${list}.args`) ??
        stringListMismatch(container['command'], `Container.${path}.${list}.command`);
      if (mismatch !== undefined) return mismatch;
    }
  }
  return undefined;
}

function stringFieldMismatch(object: Json, field: string, path: string): string | undefined {
  const value = object[field];
  return value === undefined || value === null || typeof value === 'string'
    ? undefined
    : unmarshal(value, `${path}.${field}`, 'string');
}

function stringMapMismatch(map: unknown, path: string): string | undefined {
  if (map === undefined || map === null) return undefined;
  if (!isJson(map)) return unmarshal(map, path, 'map[string]string');
  const wrong = Object.values(map).find((value) => typeof value !== 'string' && value !== null);
  return wrong === undefined ? undefined : unmarshal(wrong, path, 'string');
}

function stringListMismatch(list: unknown, path: string): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return unmarshal(list, path, '[]string');
  const wrong: unknown = list.find((value) => typeof value !== 'string' && value !== null);
  return wrong === undefined ? undefined : unmarshal(wrong, path, 'string');
}

function unmarshal(value: unknown, path: string, wanted: string): string {
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${path} of type ${wanted}`;
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' || typeof value === 'string' ? typeof value : 'object';
}
