import { splitYamlDocuments } from '../chart/values/load-values.ts';
import { decodeJsonPrefix, JsonSyntaxError } from '../go/json-decode.ts';
import { trimLeftSpace } from '../go/space.ts';
import { byteLength } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { Report } from './finding.ts';
import { type ObjectHead, readJsonHead, readObjectHead } from './object-head.ts';

/** Number of bytes in which Kubernetes looks for the brace that makes a text JSON. */
const guessed = 4096;

/**
 * Returns the heads of the objects in a JSON or YAML text, undefined for an empty document. After
 * at most one JSON object, the rest can still be YAML
 * (k8s.io/apimachinery/pkg/util/yaml/decoder.go: YAMLOrJSONDecoder). Throws {@link YamlError}.
 */
export function* objectHeads(text: string): Generator<ObjectHead | undefined, void> {
  const inJson = looksLikeJson(text) ? yield* jsonHeads(text) : undefined;
  if (inJson === 'all') return;
  const left = inJson === undefined ? text : inJson.left;
  let failure = inJson?.failure;
  for (const document of splitYamlDocuments(left)) {
    yield readInsteadOf(failure, document);
    failure = undefined;
  }
}

function looksLikeJson(text: string): boolean {
  const start = trimLeftSpace(text);
  return start.startsWith('{') && byteLength(text) - byteLength(start) < guessed;
}

/** The text after the last JSON object, and the error at that point. */
interface Ambiguous {
  left: string;
  failure: YamlError;
}

function* jsonHeads(text: string): Generator<ObjectHead | undefined, Ambiguous | 'all'> {
  let left = text;
  let offset = 0;
  for (let count = 0; trimLeftSpace(left) !== ''; count++) {
    const read = readNext(left, offset);
    if (read instanceof YamlError) {
      if (count > 1) throw new YamlError(read.message.replace(/^json: offset \d+: /, ''));
      // without this, trailing spaces would be the first line of the YAML text
      return { left: left.replace(/^[^\S\n]*\n?/, ''), failure: read };
    }
    yield read.head;
    offset += byteLength(left.slice(0, left.length - read.rest.length));
    left = read.rest;
  }
  return 'all';
}

/**
 * Reads the next JSON object. Returns the error instead of throwing, because the caller decides
 * whether it counts.
 */
function readNext(text: string, offset: number): { head: ObjectHead | undefined; rest: string } | YamlError {
  try {
    const { value, rest } = decodeJsonPrefix(text);
    return { head: readJsonHead(value), rest };
  } catch (error) {
    if (error instanceof YamlError) return error;
    if (!(error instanceof GoError)) throw error;
    if (!(error instanceof JsonSyntaxError)) return new YamlError(error.message);
    const read = offset + byteLength(text.slice(0, error.at)) + 1;
    return new YamlError(`json: offset ${read}: ${error.message}`);
  }
}

function readInsteadOf(failure: YamlError | undefined, document: string): ObjectHead | undefined {
  try {
    return readObjectHead(document);
  } catch (error) {
    throw error instanceof YamlError && failure !== undefined ? failure : error;
  }
}

/**
 * Calls `visit` for the objects of a file. Reports the first object that cannot be read, skips the
 * rest, and returns false.
 */
export function eachObject(text: string, path: string, report: Report, visit: (head: ObjectHead) => void): boolean {
  try {
    for (const head of objectHeads(text)) {
      if (head !== undefined) visit(head);
    }
    return true;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return report('ERROR', path, `unable to parse YAML: ${error.message}`);
  }
}
