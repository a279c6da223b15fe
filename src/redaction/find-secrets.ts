import { isJsonObject, listAt, objectAt, objectsAt, stringAt } from '../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../objects/object.ts';
import type { FoundSecrets } from './redactor.ts';

/** Shorter values would also match words that are not secret. */
const shortestSecret = 5;

/** Longer secrets are searched for in pieces of this length, so that a part of one is found. */
export const longestSecret = 1024;

/** Number of secrets, and of their characters together. Further ones are not replaced. */
const maxSecrets = 1000;
const maxCharacters = 128 * 1024;

/** Number of Secrets that pods refer to. */
const maxReferences = 20;

/** Names of environment variables with values that are likely secret. */
const secretName = /pass|secret|token|key|credential|auth|dsn|private/i;

/**
 * Returns the values of Secrets and of secret environment variables, without the space around them:
 * as they are, line by line, in base64, also as a part of a longer text, and as JSON and URLs write
 * them. The kinds and names of the objects are not secret, although a Secret may have them, too. A
 * pod without a namespace is in `namespace`.
 */
export function findSecrets(objects: Iterable<KubeObject>, namespace: string): FoundSecrets {
  const values = new Set<string>();
  const references = new Map<string, ObjectRef>();
  const names = new Set([namespace]);
  for (const object of objects) {
    for (const name of namesOf(object)) names.add(name);
    if (object.kind === 'Secret') for (const value of secretValues(object)) values.add(value);
    for (const spec of podSpecs(object)) {
      for (const value of envValues(spec)) values.add(value);
      for (const name of secretNames(spec)) {
        const ref = { apiVersion: 'v1', kind: 'Secret', namespace: object.metadata.namespace ?? namespace, name };
        if (references.size < maxReferences) references.set(`${ref.namespace}/${name}`, ref);
      }
    }
  }
  const secrets = [...values].filter((value) => !names.has(value.trim()));
  return { texts: bounded(secrets), references: [...references.values()] };
}

function namesOf({ kind, metadata }: KubeObject): string[] {
  return [kind, metadata.name, metadata.namespace ?? ''];
}

/** Takes the usual forms of all short values first, then single lines, pieces and other forms. */
function bounded(wholes: readonly string[]): string[] {
  const isShort = (text: string) => text.length <= longestSecret;
  const found = new Set<string>();
  let characters = 0;
  const add = (text: string): void => {
    if (text.length < shortestSecret || !isShort(text) || found.has(text) || found.size >= maxSecrets) return;
    if (characters + text.length > maxCharacters) return;
    found.add(text);
    characters += text.length;
  };
  // programs often trim a value before they encode it
  const values = new Set(wholes.map((whole) => whole.trim()));
  for (const value of values) add(value);
  for (const whole of wholes) if (isShort(whole)) add(base64(whole));
  for (const value of values) {
    if (isShort(value)) for (const form of [base64(value), ...jsonForms(value)]) add(form);
  }
  for (const line of linesOf(values)) {
    if (found.size >= maxSecrets) break;
    add(line);
  }
  for (const value of values) {
    for (let at = 0; at < value.length && !isShort(value) && found.size < maxSecrets; at += longestSecret) {
      add(value.slice(at, at + longestSecret));
    }
  }
  for (const value of values) {
    if (found.size >= maxSecrets) break;
    if (isShort(value)) for (const form of encodedForms(value)) add(form);
  }
  return [...found];
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Returns a value as a part of a string in JSON, as JavaScript and Go write it. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const inGo = json.replaceAll(/[&<>\u2028\u2029]/g, (char) => `\\u${hexOf(char).padStart(4, '0')}`);
  return [json, inGo];
}

/** Returns a value as a part of a URL, as JavaScript, Go and forms write it. */
function urlForms(value: string): string[] {
  const url = encodeURIComponent(value.toWellFormed());
  const strict = url.replaceAll(/[!'()*]/g, (char) => `%${hexOf(char).toUpperCase()}`);
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [url, strict, strict.replaceAll('%20', '+'), form];
}

function hexOf(char: string): string {
  return char.charCodeAt(0).toString(16);
}

/** Returns a value as a part of a URL, and as a part of a longer text in base64 or base64url. */
function encodedForms(value: string): string[] {
  const inBase64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    // the characters that hold bits of other bytes differ
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return bytes.toString('base64').slice(first, end);
  });
  const inUrls = inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...urlForms(value), ...inBase64, ...inUrls];
}

function* linesOf(values: Iterable<string>): Generator<string> {
  for (const value of values) {
    for (const [line] of value.matchAll(/[^\r\n]+/g)) yield line.trim();
  }
}

function secretValues(secret: KubeObject): string[] {
  const texts = Object.values(objectAt(secret, 'stringData')).map(String);
  const encoded = Object.values(objectAt(secret, 'data')).map(String);
  const decoded = encoded.map((value) => Buffer.from(value, 'base64').toString());
  // bytes that are not text are not in a log
  return [...texts, ...decoded.filter((text) => !text.includes('\ufffd')), ...encoded];
}

function podSpecs(object: KubeObject): unknown[] {
  return [
    objectAt(object, 'spec'),
    objectAt(object, 'spec', 'template', 'spec'),
    objectAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'),
  ];
}

function containersOf(spec: unknown) {
  return [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')].filter(isJsonObject);
}

function envValues(spec: unknown): string[] {
  return containersOf(spec)
    .flatMap((container) => objectsAt(container, 'env'))
    .filter((variable) => secretName.test(stringAt(variable, 'name') ?? ''))
    .flatMap((variable) => stringAt(variable, 'value') ?? []);
}

/** Returns the names of the Secrets that a pod uses. */
function secretNames(spec: unknown): string[] {
  const containers = containersOf(spec);
  const volumes = objectsAt(spec, 'volumes');
  const env = containers.flatMap((container) => objectsAt(container, 'env'));
  const envFrom = containers.flatMap((container) => objectsAt(container, 'envFrom'));
  const projected = volumes.flatMap((volume) => objectsAt(volume, 'projected', 'sources'));
  const names = [
    ...env.map((variable) => stringAt(variable, 'valueFrom', 'secretKeyRef', 'name')),
    ...envFrom.map((source) => stringAt(source, 'secretRef', 'name')),
    ...volumes.map((volume) => stringAt(volume, 'secret', 'secretName')),
    ...projected.map((source) => stringAt(source, 'secret', 'name')),
    ...objectsAt(spec, 'imagePullSecrets').map((secret) => stringAt(secret, 'name')),
  ];
  return names.filter((name): name is string => name !== undefined && name !== '');
}
