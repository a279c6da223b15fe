import { isDeepStrictEqual } from 'node:util';
import { int64, type Value } from '../../go/value.ts';
import { type ImageRules, rewriteImages } from '../../objects/images/rewrite-images.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/**
 * Returns a manifest with the images and the pull secrets that rules of the owner of a cluster give
 * it. Documents that they do not change stay as they are, byte for byte; others are written again,
 * with the comments before them. Documents that cannot be read stay, too: they fail later.
 */
export function rewriteManifest(manifest: string, rules: ImageRules, namespace: string): string {
  // the separators as in `splitDocuments`, which are kept
  const parts = manifest.split(/((?<![^\n])---[ \t]*)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : rewriteDocument(part, rules, namespace))).join('');
}

function rewriteDocument(document: string, rules: ImageRules, namespace: string): string {
  let tree: YamlTree;
  try {
    tree = readTypedYaml(document);
  } catch {
    return document;
  }
  if (!(tree instanceof Map) || !rewriteImages(tree, rules, namespace)) return document;
  const lines = document.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  return `${lines
    .slice(0, first)
    .map((line) => `${line}\n`)
    .join('')}${textOf(tree)}`;
}

/**
 * Returns a tree as YAML that is read as the same tree: as JSON if YAML as Helm writes it is not,
 * such as for characters that it does not escape, and for a key `<<`, which it does not quote.
 */
function textOf(tree: YamlTree): string {
  try {
    const text = writeYaml(valueOf(tree));
    if (isDeepStrictEqual(readTypedYaml(text), tree)) return text;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
  }
  return `${jsonOf(tree)}\n`;
}

function jsonOf(tree: YamlTree): string {
  if (tree instanceof Map) {
    return `{${Array.from(tree, ([key, value]) => `${keyOf(key)}: ${jsonOf(value)}`).join(', ')}}`;
  }
  if (Array.isArray(tree)) return `[${tree.map(jsonOf).join(', ')}]`;
  if (tree instanceof TypedScalar) return isWhole(tree) ? tree.text : JSON.stringify(tree.value);
  return quoted(tree);
}

/** Length up to which YAML finds a key without a mark, in characters with their escapes. */
const maxPlainKey = 1024;

function keyOf(key: string): string {
  const text = quoted(key);
  return text.length < maxPlainKey ? text : `? ${text}`;
}

/** Characters of JSON texts that YAML refuses or takes for the end of a line. */
const unreadable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(value: null | string | number | boolean): string {
  return JSON.stringify(value).replace(
    unreadable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns a tree as it is written: whole numbers stay whole. */
function valueOf(tree: YamlTree): Value {
  if (tree instanceof TypedScalar) {
    return isWhole(tree) ? wholeNumber(tree) : tree.value;
  }
  if (tree instanceof Map) return new Map(Array.from(tree, ([key, value]) => [key, valueOf(value)]));
  return Array.isArray(tree) ? tree.map(valueOf) : tree;
}

function isWhole({ value, text }: TypedScalar): boolean {
  return typeof value === 'number' && /^-?\d+$/.test(text);
}

function wholeNumber({ text, value }: TypedScalar): Value {
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? int64(exact) : value;
}
