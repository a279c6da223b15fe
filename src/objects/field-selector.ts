import { fieldAt } from './fields.ts';
import { SelectorError } from './label-selector.ts';
import type { KubeObject } from './object.ts';

/** One requirement of a field selector: `metadata.name=web`, `status.phase!=Running`. */
export interface FieldRequirement {
  path: string;
  equal: boolean;
  value: string;
}

/** Reads a field selector in the API's text form. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
      if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`);
      return { path: match[1] ?? '', equal: match[2] !== '!=', value: match[3] ?? '' };
    });
}

/** Whether an object meets all requirements. An absent field counts as empty. */
export function matchesFields(requirements: readonly FieldRequirement[], object: KubeObject): boolean {
  return requirements.every(({ path, equal, value }) => (fieldText(object, path) === value) === equal);
}

function fieldText(object: KubeObject, path: string): string {
  const found = fieldAt(object, ...path.split('.'));
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}
