import type { Host } from '../../../go/host.ts';
import type { ReleaseObject } from '../../apply/release-object.ts';

/** The characters and the lengths with which the API server generates names. */
const characters = 'bcdfghjklmnpqrstvwxz2456789';
const suffixLength = 5;
const maxNameLength = 63;

/**
 * Returns the names of objects that have only `generateName`, as the API server would choose them;
 * empty for the others. A name that is known before the object is created lets another process find
 * the object.
 */
export function generatedNames(host: Host, objects: readonly ReleaseObject[]): string[] {
  return objects.map(({ object: { metadata } }) => {
    const { name, generateName } = metadata;
    if (name !== '' || typeof generateName !== 'string') return '';
    return generateName.slice(0, maxNameLength - suffixLength) + suffix(host);
  });
}

/** Returns the objects with their generated names. */
export function withGeneratedNames(objects: readonly ReleaseObject[], names: readonly string[] = []): ReleaseObject[] {
  return objects.map((item, index) => {
    const name = names[index] ?? '';
    if (name === '') return item;
    const { object, ref } = item;
    return { ...item, object: { ...object, metadata: { ...object.metadata, name } }, ref: { ...ref, name } };
  });
}

function suffix(host: Host): string {
  return Array.from(host.randomBytes(suffixLength), (byte) => characters[byte % characters.length]).join('');
}
