import { fieldAt } from './fields.ts';
import { SelectorError } from './label-selector.ts';
import type { KubeObject } from './object.ts';

/** One requirement of a field selector: `metadata.name=web`, `status.phase!=Running`. */
export interface FieldRequirement {
  path: string;
  equal: boolean;
  value: string;
}

/** A part between commas. As in Kubernetes, a backslash escapes the next character. */
const term = /(?:\\[^]|[^,])+/g;
const escaped = /\\([\\,=])/g;

/** Returns the text of a requirement. Escapes the value (k8s.io/apimachinery/pkg/fields). */
export function fieldSelectorText(path: string, value: string): string {
  return `${path}=${value.replaceAll(/[\\,=]/g, '\\$&')}`;
}

/** Reads a field selector in the API's text form. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return (text.match(term) ?? []).map((part) => {
    const match = /^([^=!]+)(==|=|!=)(.*)$/s.exec(part);
    if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`);
    const value = (match[3] ?? '').replaceAll(escaped, '$1');
    return { path: match[1] ?? '', equal: match[2] !== '!=', value };
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
