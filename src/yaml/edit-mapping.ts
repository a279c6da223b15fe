import type { Event, MappingEvent, ScalarEvent } from 'js-yaml';
import { COLLECTION_STYLE, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { YamlError } from './yaml-error.ts';

// Edits single entries in the text of a document, so that order, comments and styles of everything
// else are preserved.

/** Maximum nesting depth, well below the limit of the stack. */
const maxDepth = 1000;

interface EventStream {
  source: string;
  events: readonly Event[];
}

function parseDocument(source: string): EventStream {
  try {
    return { source, events: parseEvents(source, { maxDepth }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? 0 : error.mark.line + 1;
    throw new YamlError(`yaml: ${line > 0 ? `line ${line}: ` : ''}${error.reason}`, line);
  }
}

/** A mapping in the text, with the indices of its events. */
interface LocatedMapping {
  event: MappingEvent;
  entries: Entry[];
}

interface Entry {
  key: string;
  keyEvent: ScalarEvent;
  valueAt: number;
}

/** Whether the first document contains anything but null. Throws {@link YamlError}. */
export function hasContent(text: string): boolean {
  const stream = parseDocument(text);
  return stream.events.length > 0 && !isNull(stream, 1);
}

/**
 * Returns the string at a path of keys through mappings; undefined if there is none. Throws
 * {@link YamlError}.
 */
export function textAt(text: string, path: readonly string[]): string | undefined {
  const stream = parseDocument(text);
  const event = stream.events[entriesAlong(stream, path).at(-1)?.entry.valueAt ?? -1];
  return event?.type === EVENT_ID.SCALAR ? getScalarValue(stream.source, event) : undefined;
}

/**
 * Returns the document with a string at a path of keys; missing or null mappings are created.
 * Throws {@link YamlError}, also if the path leads through a value that is not a mapping.
 */
export function withTextAt(text: string, path: readonly string[], value: string): string {
  const stream = parseDocument(withoutTextAt(text, path));
  let at = 1;
  for (const [depth, key] of path.entries()) {
    const mapping = mappingAt(stream, at);
    if (mapping === undefined)
      throw new YamlError(`${path.slice(0, depth).join('.') || 'the document'} is not a mapping`);
    const entry = mapping.entries.find((candidate) => candidate.key === key);
    if (entry === undefined) return withEntry(stream, mapping, path.slice(depth), value);
    if (isNull(stream, entry.valueAt)) return withValue(stream, entry, flowText(path.slice(depth + 1), value));
    at = entry.valueAt;
  }
  throw new YamlError(`${path.join('.')} occurs twice in the document`);
}

/**
 * Returns the document without the string at a path of keys, and without mappings that become
 * empty. Throws {@link YamlError}.
 */
export function withoutTextAt(text: string, path: readonly string[]): string {
  const stream = parseDocument(text);
  const { source } = stream;
  const chain = entriesAlong(stream, path);
  const last = chain.at(-1);
  if (last === undefined || chain.length < path.length) return source;
  let end = endOfValue(stream, last.entry);
  let level = chain.length - 1;
  for (let link = chain[level]; link?.mapping.entries.length === 1 && level > 0; link = chain[level]) {
    const close = isFlow(link.mapping) ? closingBrace(source, end) : end;
    if (close === undefined) break;
    end = close;
    level--;
  }
  const cut = chain[level] ?? last;
  return isFlow(cut.mapping) ? withoutFlowEntry(stream, cut, end) : withoutBlockEntry(source, cut, end);
}

interface Link {
  mapping: LocatedMapping;
  entry: Entry;
}

/** Returns the existing entries along a path. */
function entriesAlong(stream: EventStream, path: readonly string[]): Link[] {
  const chain: Link[] = [];
  let at = 1;
  for (const key of path) {
    const mapping = mappingAt(stream, at);
    const entry = mapping?.entries.find((candidate) => candidate.key === key);
    if (mapping === undefined || entry === undefined) break;
    chain.push({ mapping, entry });
    at = entry.valueAt;
  }
  return chain;
}

function mappingAt(stream: EventStream, start: number): LocatedMapping | undefined {
  const event = stream.events[start];
  if (event?.type !== EVENT_ID.MAPPING) return undefined;
  const entries: Entry[] = [];
  for (let at = start + 1; ;) {
    const keyEvent = stream.events[at];
    if (keyEvent === undefined || keyEvent.type === EVENT_ID.POP) return { event, entries };
    const valueAt = afterNode(stream, at);
    if (keyEvent.type === EVENT_ID.SCALAR)
      entries.push({ key: getScalarValue(stream.source, keyEvent), keyEvent, valueAt });
    at = afterNode(stream, valueAt);
  }
}

function isNull(stream: EventStream, at: number): boolean {
  const event = stream.events[at];
  if (event?.type !== EVENT_ID.SCALAR || event.style !== SCALAR_STYLE.PLAIN || event.tagStart >= 0) return false;
  return ['', '~', 'null', 'Null', 'NULL'].includes(event.valueStart < 0 ? '' : getScalarValue(stream.source, event));
}

/** Returns the index after the node that starts at `start`. */
function afterNode({ events }: EventStream, start: number): number {
  let depth = 0;
  for (let at = start; at < events.length; at++) {
    const type = events[at]?.type;
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth++;
    else if (type === EVENT_ID.POP) depth--;
    if (depth === 0) return at + 1;
  }
  return events.length;
}

function isFlow({ event }: LocatedMapping): boolean {
  return event.style === COLLECTION_STYLE.FLOW;
}

function withEntry({ source }: EventStream, mapping: LocatedMapping, path: readonly string[], value: string): string {
  const { event, entries } = mapping;
  if (isFlow(mapping)) {
    const inside = event.start + 1;
    return splice(source, inside, inside, `${flowEntry(path, value)}${entries.length > 0 ? ', ' : ''}`);
  }
  const [first] = entries;
  const start = lineStart(source, first ? startOf(first.keyEvent) : event.start);
  const indent = /^ */.exec(source.slice(start))?.[0] ?? '';
  const lines = path.map((key, depth) => {
    const suffix = depth === path.length - 1 ? ` ${quoted(value)}` : '';
    return `${indent}${'  '.repeat(depth)}${key}:${suffix}\n`;
  });
  return splice(source, start, start, lines.join(''));
}

/** Replaces a null value, which may be written as nothing at all. */
function withValue({ source, events }: EventStream, { keyEvent, valueAt }: Entry, value: string): string {
  const event = events[valueAt];
  if (event?.type === EVENT_ID.SCALAR && event.valueStart >= 0) {
    return splice(source, event.valueStart, event.valueEnd, value);
  }
  const colon = source.indexOf(':', endOf(keyEvent)) + 1;
  return splice(source, colon, colon, ` ${value}`);
}

function flowText(path: readonly string[], value: string): string {
  return path.length === 0 ? quoted(value) : `{${flowEntry(path, value)}}`;
}

function flowEntry([key = '', ...rest]: readonly string[], value: string): string {
  return `${JSON.stringify(key)}: ${flowText(rest, value)}`;
}

/** Uses double quotes, so that a JSON document remains JSON. */
function quoted(value: string): string {
  return JSON.stringify(value);
}

function endOfValue({ source, events }: EventStream, { keyEvent, valueAt }: Entry): number {
  const event = events[valueAt];
  if (event?.type !== EVENT_ID.SCALAR) throw new YamlError('only a string can be removed from a document');
  return event.valueStart < 0 ? source.indexOf(':', endOf(keyEvent)) + 1 : endOf(event);
}

function closingBrace(source: string, from: number): number | undefined {
  const found = /^\s*(?:,\s*)?\}/.exec(source.slice(from));
  return found ? from + found[0].length : undefined;
}

function withoutFlowEntry({ source }: EventStream, { mapping, entry }: Link, end: number): string {
  const index = mapping.entries.indexOf(entry);
  const next = mapping.entries[index + 1];
  const start = startOf(entry.keyEvent);
  if (next) return splice(source, start, startOf(next.keyEvent), '');
  return splice(source, index > 0 ? source.lastIndexOf(',', start) : start, end, '');
}

function withoutBlockEntry(source: string, { mapping, entry }: Link, end: number): string {
  const start = lineStart(source, startOf(entry.keyEvent));
  const newline = source[end - 1] === '\n' ? end - 1 : source.indexOf('\n', end);
  return splice(source, start, newline < 0 ? source.length : newline + 1, mapping.entries.length === 1 ? '{}\n' : '');
}

function startOf({ style, valueStart, anchorStart, tagStart }: ScalarEvent): number {
  const start = isQuoted(style) ? valueStart - 1 : valueStart;
  return Math.min(start, ...[anchorStart - 1, tagStart].filter((offset) => offset >= 0));
}

function endOf({ style, valueEnd }: ScalarEvent): number {
  return isQuoted(style) ? valueEnd + 1 : valueEnd;
}

function isQuoted(style: ScalarEvent['style']): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

function lineStart(source: string, at: number): number {
  return source.lastIndexOf('\n', at - 1) + 1;
}

function splice(source: string, start: number, end: number, text: string): string {
  return source.slice(0, start) + text + source.slice(end);
}
