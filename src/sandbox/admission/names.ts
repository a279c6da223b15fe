import { type FieldError, invalidValue } from '../api-error.ts';
import type { ResourceType } from '../store/resource-type.ts';

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const dns1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedPart = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedPart})?`;

/** Messages of `k8s.io/apimachinery/pkg/util/validation`. */
const texts = {
  subdomain: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  label: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
  dns1035: `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${dns1035}')`,
  labelValue: `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValue}')`,
  namePart: `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${qualifiedPart}')`,
};

type NameForm = { pattern: RegExp; longest: number; unit: string; text: string } | 'path-segment';

const subdomainForm = {
  pattern: new RegExp(`^${subdomain}$`),
  longest: 253,
  unit: 'characters',
  text: texts.subdomain,
};
const labelForm = { pattern: new RegExp(`^${label}$`), longest: 63, unit: 'characters', text: texts.label };
const serviceForm = { pattern: new RegExp(`^${dns1035}$`), longest: 63, unit: 'characters', text: texts.dns1035 };

const formOfCollection: Readonly<Record<string, NameForm>> = {
  '/namespaces': labelForm,
  '/services': serviceForm,
  'rbac.authorization.k8s.io/roles': 'path-segment',
  'rbac.authorization.k8s.io/clusterroles': 'path-segment',
  'rbac.authorization.k8s.io/rolebindings': 'path-segment',
  'rbac.authorization.k8s.io/clusterrolebindings': 'path-segment',
};

/** Validates the name of an object. */
export function nameErrors(type: ResourceType, name: string): FieldError[] {
  const form = formOfCollection[`${type.group}/${type.plural}`] ?? subdomainForm;
  return (form === 'path-segment' ? pathSegmentErrors(name) : formErrors(form, name)).map((text) =>
    invalidValue('metadata.name', name, text),
  );
}

export function dnsLabelErrors(name: string, field: string): FieldError[] {
  return formErrors(labelForm, name).map((text) => invalidValue(field, name, text));
}

export function labelErrors(labels: Record<string, unknown>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((text) => invalidValue(field, key, text)),
    ...(typeof value === 'string' && !new RegExp(`^${labelValue}$`).test(value)
      ? [invalidValue(field, value, texts.labelValue)]
      : []),
    ...(typeof value === 'string' && value.length > 63
      ? [invalidValue(field, value, 'must be no more than 63 bytes')]
      : []),
  ]);
}

export function annotationErrors(annotations: Record<string, unknown>, field: string): FieldError[] {
  return Object.keys(annotations).flatMap((key) =>
    qualifiedNameErrors(key.toLowerCase()).map((text) => invalidValue(field, key, text)),
  );
}

function qualifiedNameErrors(key: string): string[] {
  const name = key.slice(key.lastIndexOf('/') + 1);
  const prefix = key.includes('/') ? key.slice(0, key.lastIndexOf('/')) : undefined;
  return [
    ...(prefix !== undefined ? formErrors(subdomainForm, prefix).map((text) => `prefix part ${text}`) : []),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > 63 ? ['name part must be no more than 63 bytes'] : []),
    ...(new RegExp(`^${qualifiedPart}$`).test(name) ? [] : [texts.namePart]),
  ];
}

function formErrors(form: Exclude<NameForm, 'path-segment'>, name: string): string[] {
  return [
    ...(name.length > form.longest ? [`must be no more than ${form.longest} ${form.unit}`] : []),
    ...(form.pattern.test(name) ? [] : [hasOnlyDots(form, name) ? 'must not contain dots' : form.text]),
  ];
}

/**
 * Whether a label is invalid only because of its dots: Kubernetes has a shorter message for that.
 */
function hasOnlyDots(form: unknown, name: string): boolean {
  return form === labelForm && name.length <= 253 && subdomainForm.pattern.test(name);
}

function pathSegmentErrors(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}
