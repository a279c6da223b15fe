import { isJsonObject, listAt, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Replaces secrets in a text. */
export type Redact = (text: string) => string;

const redacted = '***';

/** Shorter values would also match words that are not secret. */
const shortestSecret = 5;

/** Names of environment variables with values that are likely secret. */
const secretName = /pass|secret|token|key|credential|auth|dsn|private/i;

/** Secrets that have a form of their own: tokens in headers, JSON web tokens, passwords in URLs. */
const forms: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, redacted],
  [/(\w:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${redacted}@`],
];

/** Returns a function that replaces the values of Secrets and of secret environment variables. */
export function redactionOf(objects: readonly KubeObject[]): Redact {
  const values = new Set(
    objects.flatMap((object) => (object.kind === 'Secret' ? secretValues(object) : envValues(object))),
  );
  const lines = [...values].flatMap((value) => [value, ...value.split('\n').map((line) => line.trim())]);
  const secrets = [...new Set(lines)].filter((value) => value.length >= shortestSecret);
  // a secret may contain another one
  secrets.sort((a, b) => b.length - a.length);
  return (text) => {
    const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
    return forms.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), known);
  };
}

function secretValues(secret: KubeObject): string[] {
  const texts = Object.values(objectAt(secret, 'stringData')).map(String);
  const encoded = Object.values(objectAt(secret, 'data')).map(String);
  return [...texts, ...encoded, ...encoded.map((value) => Buffer.from(value, 'base64').toString())];
}

/** Returns the values of environment variables, which are in pods and in pod templates. */
function envValues(object: KubeObject): string[] {
  const specs = [objectAt(object, 'spec'), objectAt(object, 'spec', 'template', 'spec')];
  specs.push(objectAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'));
  return specs.flatMap((spec) =>
    [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')]
      .filter(isJsonObject)
      .flatMap((container) => objectsAt(container, 'env'))
      .filter((variable) => secretName.test(stringAt(variable, 'name') ?? ''))
      .flatMap((variable) => stringAt(variable, 'value') ?? []),
  );
}
