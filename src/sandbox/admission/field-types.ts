import { fieldAt, isJsonObject, type JsonObject } from '../../objects/fields.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { podSpecPath } from './pod-spec.ts';

/** A field with a value of the wrong JSON type. */
export interface TypeMismatch {
  value: unknown;
  expected: FieldType;
  /**
   * Name of the field in the errors of Go's decoder, such as `EnvVar.spec.containers.env.value`.
   */
  goField: string;
  /** Path of the field. A list element is a step of its own, with the path of its list. */
  path: readonly (string | { list: readonly string[]; element: unknown })[];
}

export type FieldType = 'string' | 'int32' | '[]string' | 'map[string]string' | 'bytes';

interface Rule {
  /**
   * Path such as `spec.containers[].env[].value`; `[]` means each element of a list, `{}` each
   * value of a map.
   */
  path: string;
  type: FieldType;
  /** Go struct with the field. */
  struct: string;
}

/**
 * Returns the first field with the wrong type, or undefined if there is none. Only types that
 * charts often get wrong are checked.
 */
export function typeMismatch(type: ResourceType, object: JsonObject): TypeMismatch | undefined {
  for (const rule of rulesFor(type)) {
    const found = mismatchOf(rule, object);
    if (found) return found;
  }
  return undefined;
}

function rulesFor(type: ResourceType): Rule[] {
  const rules: Rule[] = [
    { path: 'metadata.name', type: 'string', struct: 'ObjectMeta' },
    { path: 'metadata.namespace', type: 'string', struct: 'ObjectMeta' },
    ...labelRules('metadata'),
  ];
  if (type.custom) return rules;
  if (type.kind === 'ConfigMap' || type.kind === 'Secret') {
    const [data, texts] =
      type.kind === 'Secret' ? (['bytes', 'stringData'] as const) : (['string', 'binaryData'] as const);
    rules.push(
      { path: 'data', type: 'map[string]string', struct: type.kind },
      { path: 'data{}', type: data, struct: type.kind },
    );
    rules.push({ path: `${texts}{}`, type: 'string', struct: type.kind });
  }
  const pod = podSpecPath(type.kind);
  if (pod === undefined) return rules;
  if (pod.length > 1) rules.push(...labelRules(`${pod.slice(0, -1).join('.')}.metadata`));
  return [
    ...rules,
    { path: 'spec.replicas', type: 'int32', struct: `${type.kind}Spec` },
    ...containerRules(pod.join('.')),
  ];
}

function labelRules(metadata: string): Rule[] {
  return ['labels', 'annotations'].flatMap((field): Rule[] => [
    { path: `${metadata}.${field}`, type: 'map[string]string', struct: 'ObjectMeta' },
    { path: `${metadata}.${field}{}`, type: 'string', struct: 'ObjectMeta' },
  ]);
}

function containerRules(pod: string): Rule[] {
  return ['initContainers', 'containers'].flatMap((list): Rule[] => [
    { path: `${pod}.${list}[].env[].value`, type: 'string', struct: 'EnvVar' },
    { path: `${pod}.${list}[].args`, type: '[]string', struct: 'Container' },
    { path: `${pod}.${list}[].args[]`, type: 'string', struct: 'Container' },
    { path: `${pod}.${list}[].command`, type: '[]string', struct: 'Container' },
    { path: `${pod}.${list}[].command[]`, type: 'string', struct: 'Container' },
    { path: `${pod}.${list}[].image`, type: 'string', struct: 'Container' },
    { path: `${pod}.${list}[].ports[].containerPort`, type: 'int32', struct: 'ContainerPort' },
  ]);
}

interface Visited {
  value: unknown;
  path: TypeMismatch['path'];
  fields: readonly string[];
}

function mismatchOf(rule: Rule, object: JsonObject): TypeMismatch | undefined {
  let visited: Visited[] = [{ value: object, path: [], fields: [] }];
  for (const step of rule.path.split('.')) visited = visited.flatMap((at) => descend(at, step));
  const wrong = visited.find(({ value }) => !hasType(value, rule.type));
  if (!wrong) return undefined;
  const goField = `${rule.struct}.${rule.path.replaceAll(/\[\]|\{\}/g, '')}`;
  return { value: wrong.value, expected: rule.type, goField, path: wrong.path };
}

function descend({ value, path, fields }: Visited, step: string): Visited[] {
  const name = step.replace(/\[\]|\{\}/, '');
  const child = fieldAt(value, name);
  const inside = [...fields, name];
  if (step.endsWith('[]')) {
    if (!Array.isArray(child)) return [];
    return child.map((element: unknown) => ({
      value: element,
      path: [...path, name, { list: inside, element }],
      fields: inside,
    }));
  }
  if (step.endsWith('{}')) {
    if (!isJsonObject(child)) return [];
    return Object.entries(child).map(([key, item]) => ({ value: item, path: [...path, name, key], fields: inside }));
  }
  return child === undefined ? [] : [{ value: child, path: [...path, name], fields: inside }];
}

/** Whether a value has a type. Null counts as absent. */
function hasType(value: unknown, type: FieldType): boolean {
  if (value === null || value === undefined) return true;
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'int32':
      return typeof value === 'number';
    case '[]string':
      return Array.isArray(value);
    case 'map[string]string':
      return isJsonObject(value);
    case 'bytes':
      return typeof value === 'string' && isBase64(value);
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Returns the error message of Go's JSON decoder. */
export function decodingError({ value, expected, goField }: TypeMismatch): string {
  if (expected === 'bytes' && typeof value === 'string') {
    const bad = /^[A-Za-z0-9+/]*/.exec(value)?.[0].length ?? 0;
    return `illegal base64 data at input byte ${Math.min(bad, value.length)}`;
  }
  return `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${goField} of type ${expected === 'bytes' ? '[]uint8' : expected}`;
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'number' || typeof value === 'string' ? typeof value : 'object';
}
