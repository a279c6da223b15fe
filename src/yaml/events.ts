import { CHOMPING_MODE, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import type { Event, MappingEvent, ScalarEvent, SequenceEvent } from 'js-yaml';
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
  const source = firstDocument(text);
  const events = parse(source);
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
const prologue = /^(?:\s|#.*|%.*)*$/;

/** The text up to the end of the first document: what follows is never looked at. */
function firstDocument(text: string): string {
  for (const match of text.matchAll(separator)) {
    const before = text.slice(0, match.index);
    if (!prologue.test(before)) return before;
    if (match[0] === '---') {
      const rest = text.slice(match.index + 3);
      const end = rest.search(separator);
      return end < 0 ? text : text.slice(0, match.index + 3 + end);
    }
  }
  return text;
}

function parse(source: string): Event[] {
  try {
    return parseEvents(source, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? 0 : error.mark.line + 1;
    throw new YamlError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${error.reason}`, line);
  }
}

/** An alias means the anchor that stood last before it, also where it is read again through another alias. */
function findTargets(source: string, events: readonly Event[]): ReadonlyMap<number, number> | undefined {
  if (!events.some((event) => event.type === EVENT_ID.ALIAS)) return undefined;
  const anchors = new Map<string, number>();
  const targets = new Map<number, number>();
  for (const [at, event] of events.entries()) {
    if (event.type === EVENT_ID.DOCUMENT) {
      if (at > 0) break;
      continue;
    }
    if (event.type === EVENT_ID.POP) continue;
    const name = source.slice(event.anchorStart, event.anchorEnd);
    if (event.type !== EVENT_ID.ALIAS) {
      if (event.anchorStart >= 0) anchors.set(name, at);
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
      if (/^(?:[^\\]|\\[^/])*\\\//s.test(source.slice(event.valueStart, event.valueEnd))) throw new YamlError('yaml: found unknown escape character');
      return text;
    case SCALAR_STYLE.LITERAL_BLOCK:
    case SCALAR_STYLE.FOLDED_BLOCK:
      return event.valueEnd === source.length && !/[\r\n]$/.test(source) && event.chomping !== CHOMPING_MODE.STRIP ? text.slice(0, -1) : text;
    case SCALAR_STYLE.SINGLE_QUOTED:
    case SCALAR_STYLE.PLAIN:
      return text;
  }
}

/** Whether a scalar is written plain. */
export function isPlain(event: ScalarEvent): boolean {
  return event.style === SCALAR_STYLE.PLAIN;
}
