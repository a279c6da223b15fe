import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml';
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
import { indentInnerLines, scanLayout } from './layout.ts';
import { YamlError } from './yaml-error.ts';

/** Deeper nesting than this is refused: well below what the stack bears, well above what any chart has. */
const maxDepth = 1000;

const yamlTagPrefix = 'tag:yaml.org,2002:';

/** The events of the first document of a text, and the text that they point into. */
export interface EventStream {
  readonly source: string;
  readonly events: readonly Event[];
  /** Prefixes of the tag handles that the document declares. */
  readonly handles: ReadonlyMap<string, string>;
  /** The place of the event that an alias, by its own place, stands for; undefined where the document has no alias. */
  readonly targets: ReadonlyMap<number, number> | undefined;
}

/** Parses the first document; without one there are no events. Throws {@link YamlError}. */
export function parseFirstDocument(text: string): EventStream {
  const { source, events } = parseLeniently(firstDocument(text.replace(/\r\n?|\x85/g, '\n')));
  const handles = new Map<string, string>();
  const first = events[0];
  if (first?.type === EVENT_ID.DOCUMENT) {
    for (const directive of first.directives) {
      if (directive.kind === 'tag') handles.set(directive.handle, directive.prefix);
    }
  }
  return { source, events, handles, targets: findTargets(source, events) };
}

const separator = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
const prologueLine = /^\s*(?:[#%].*)?$/;

/** The text up to the end of the first document: what follows is never looked at. */
function firstDocument(text: string): string {
  for (const match of text.matchAll(separator)) {
    const before = text.slice(0, match.index);
    if (!before.split('\n').every((line) => prologueLine.test(line))) return before;
    if (match[0] === '...') throw new YamlError('yaml: did not find expected node content');
    if (match[0] === '---') {
      const rest = text.slice(match.index + 3);
      const end = rest.search(separator);
      return end < 0 ? text : text.slice(0, match.index + 3 + end);
    }
  }
  return text;
}

interface Parsed {
  source: string;
  events: readonly Event[];
}

/** Parses with go-yaml's opinion where js-yaml's is another one. */
function parseLeniently(source: string, mayIndent = true): Parsed {
  if (/^ *\t|[-?]\t/m.test(source)) refuseTabs(source);
  try {
    return { source, events: parseEvents(source, { maxDepth }) };
  } catch (error) {
    const parsed = error instanceof YAMLException ? parseOtherwise(source, error, mayIndent) : undefined;
    if (parsed === undefined) throw asYamlError(error);
    return parsed;
  }
}

function refuseTabs(source: string): void {
  const { strayTab } = scanLayout(source);
  if (strayTab !== undefined)
    throw new YamlError(`yaml: line ${strayTab}: found character that cannot start any token`, strayTab);
}

/** Parses what js-yaml refused for a reason that go-yaml does not have. */
function parseOtherwise(source: string, error: YAMLException, mayIndent: boolean): Parsed | undefined {
  const position = error.mark?.position ?? 0;
  switch (error.reason) {
    case 'deficient indentation': {
      const { margins } = scanLayout(source);
      return mayIndent && margins.size > 0 ? parseLeniently(indentInnerLines(source, margins), false) : undefined;
    }
    case 'end of the stream or a document separator is expected':
      return parseRoot(source, position);
    case 'a whitespace character is expected after the key-value separator within a block mapping':
      return parseRoot(source, position - 1);
    default:
      return undefined;
  }
}

/** Parses the text before that place, if go-yaml sees the root node end there: it never looks at what follows. */
function parseRoot(source: string, end: number): Parsed | undefined {
  const events = parseOrUndefined(source.slice(0, end));
  if (events === undefined) return undefined;
  const root = events[1];
  const column = columnAt(source, end);
  const restOfLine = source.slice(end).split('\n', 1)[0] ?? '';
  switch (root?.type) {
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      if (root.style === COLLECTION_STYLE.FLOW ? /:(?:\s|$)/.test(restOfLine) : column >= columnAt(source, root.start))
        return undefined;
      return { source, events };
    case EVENT_ID.SCALAR: {
      const ends =
        root.style === SCALAR_STYLE.PLAIN
          ? source.slice(end - column, end).trim() === ''
          : !/:(?:\s|$)/.test(restOfLine);
      return ends ? { source, events } : undefined;
    }
    default:
      return undefined;
  }
}

function parseOrUndefined(source: string): readonly Event[] | undefined {
  try {
    return parseEvents(source, { maxDepth });
  } catch (error) {
    if (error instanceof YAMLException) return undefined;
    throw error;
  }
}

function columnAt(source: string, position: number): number {
  return position - (source.lastIndexOf('\n', position - 1) + 1);
}

function asYamlError(error: unknown): unknown {
  if (!(error instanceof YAMLException)) return error;
  const line = error.mark === undefined ? 0 : error.mark.line + 1;
  return new YamlError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${error.reason}`, line);
}

/** An alias means the anchor that stood last before it, also where it is read again through another alias. */
function findTargets(source: string, events: readonly Event[]): ReadonlyMap<number, number> | undefined {
  if (!/[&*]/.test(source)) return undefined;
  const anchors = new Map<string, number>();
  const targets = new Map<number, number>();
  for (const [at, event] of events.entries()) {
    if (event.type === EVENT_ID.DOCUMENT) {
      if (at > 0) break;
      continue;
    }
    if (event.type === EVENT_ID.POP) continue;
    if (event.anchorStart < 0) continue;
    const name = source.slice(event.anchorStart, event.anchorEnd);
    if (!/^[\w-]+$/.test(name)) throw new YamlError('yaml: did not find expected alphabetic or numeric character');
    if (event.type !== EVENT_ID.ALIAS) {
      anchors.set(name, at);
      continue;
    }
    const target = anchors.get(name);
    if (target === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    targets.set(at, target);
  }
  return targets;
}

/** The full tag of a node, empty where it has none. */
export function tagOf(stream: EventStream, event: ScalarEvent | MappingEvent | SequenceEvent): string {
  if (event.tagStart < 0) return '';
  const raw = stream.source.slice(event.tagStart, event.tagEnd);
  if (raw.startsWith('!<')) return raw.slice(2, -1);
  const handle = /^!\w*!/.exec(raw)?.[0] ?? '!';
  const suffix = raw.slice(handle.length);
  return (stream.handles.get(handle) ?? (handle === '!!' ? yamlTagPrefix : handle)) + suffix;
}

/** The name of one of YAML's own tags, such as `int`; undefined for any other tag. */
export function coreTag(tag: string): string | undefined {
  return tag.startsWith(yamlTagPrefix) ? tag.slice(yamlTagPrefix.length) : undefined;
}

/** The text of a scalar, quotes and escapes removed. */
export function scalarText(stream: EventStream, event: ScalarEvent): string {
  const { source } = stream;
  const text = getScalarValue(source, event);
  if (event.fast) return text;
  switch (event.style) {
    case SCALAR_STYLE.DOUBLE_QUOTED:
      if (/^(?:[^\\]|\\[^/])*\\\//s.test(source.slice(event.valueStart, event.valueEnd)))
        throw new YamlError('yaml: found unknown escape character');
      return text;
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK:
      return event.valueEnd === source.length && !/[\r\n]$/.test(source) && event.chomping !== CHOMPING_MODE.STRIP
        ? text.slice(0, -1)
        : text;
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.PLAIN:
      return text;
  }
}

/** Whether a scalar is written plain. */
export function isPlain(event: ScalarEvent): boolean {
  return event.style === SCALAR_STYLE.PLAIN;
}

/** The place after the node that starts there. */
export function afterNode(stream: EventStream, start: number): number {
  let depth = 0;
  for (let at = start; at < stream.events.length; at++) {
    const type = stream.events[at]?.type;
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth++;
    else if (type === EVENT_ID.POP) depth--;
    if (depth === 0) return at + 1;
  }
  return stream.events.length;
}
