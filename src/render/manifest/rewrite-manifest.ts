import { int64, type Value } from '../../go/value.ts';
import { type ImageRules, rewriteImages } from '../../objects/images/rewrite-images.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';

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
    .join('')}${writeYaml(valueOf(tree))}`;
}

/** Returns a tree as it is written: whole numbers stay whole. */
function valueOf(tree: YamlTree): Value {
  if (tree instanceof TypedScalar) {
    const isWhole = typeof tree.value === 'number' && /^-?\d+$/.test(tree.text);
    return isWhole ? wholeNumber(tree) : tree.value;
  }
  if (tree instanceof Map) return new Map(Array.from(tree, ([key, value]) => [key, valueOf(value)]));
  return Array.isArray(tree) ? tree.map(valueOf) : tree;
}

function wholeNumber({ text, value }: TypedScalar): Value {
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? int64(exact) : value;
}
