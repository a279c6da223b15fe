import { createHash } from 'node:crypto';
import { isJsonObject, objectAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { controllerReference } from './workload.ts';

/** Returns a pod from the template of `owner`. */
export function podFromTemplate(
  owner: KubeObject,
  name: { name: string } | { generateName: string },
  labels: Record<string, string> = {},
): KubeObject {
  const template = objectAt(owner, 'spec', 'template');
  const metadata = structuredClone(objectAt(template, 'metadata'));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      ...name,
      namespace: owner.metadata.namespace ?? '',
      // Validated when the owner was written.
      labels: { ...(metadata['labels'] as Record<string, string> | undefined), ...labels },
      // Validated, too.
      ...(isJsonObject(metadata['annotations']) && { annotations: metadata['annotations'] as Record<string, string> }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(objectAt(template, 'spec')),
  };
}

/** Returns a short hash of a template, for use in names. */
export function templateHash(template: unknown): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const digest = createHash('sha256').update(stableJson(template)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Returns JSON with its fields sorted by name. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .filter((field) => value[field] !== undefined);
  return `{${fields.map((field) => `${JSON.stringify(field)}:${stableJson(value[field])}`).join(',')}}`;
}
