import { EVENT_ID } from 'js-yaml';
import type { ScalarEvent } from 'js-yaml';
import { quote } from '../go/strconv.ts';
import { afterNode } from './events.ts';
import type { EventStream } from './events.ts';
import { formatFloat } from './number.ts';
import { resolveScalar } from './scalar.ts';

/** The node that starts there as Go's `%#v` prints it. */
export function goSyntax(stream: EventStream, start: number): string {
  const event = stream.events[start];
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return scalarSyntax(stream, event);
    case EVENT_ID.ALIAS:
      return goSyntax(stream, stream.targets?.get(start) ?? stream.events.length);
    case EVENT_ID.SEQUENCE:
      return `[]interface {}{${childSyntax(stream, start).join(', ')}}`;
    case EVENT_ID.MAPPING: {
      const texts = childSyntax(stream, start);
      const entries = texts.flatMap((key, i) => (i % 2 === 0 ? [`${key}:${texts[i + 1] ?? ''}`] : []));
      return `map[interface {}]interface {}{${entries.sort().join(', ')}}`;
    }
    case EVENT_ID.DOCUMENT:
    case EVENT_ID.POP:
    case undefined:
      return '';
  }
}

function childSyntax(stream: EventStream, start: number): string[] {
  const texts: string[] = [];
  const end = afterNode(stream, start) - 1;
  for (let at = start + 1; at < end; at = afterNode(stream, at)) {
    const text = goSyntax(stream, at);
    texts.push(text === '<nil>' ? 'interface {}(nil)' : text);
  }
  return texts;
}

function scalarSyntax(stream: EventStream, event: ScalarEvent): string {
  const resolved = resolveScalar(stream, event);
  switch (resolved.tag) {
    case 'null':
      return '<nil>';
    case 'int':
      return resolved.value < 1n << 63n ? String(resolved.value) : `0x${resolved.value.toString(16)}`;
    case 'float':
      return formatFloat(resolved.value);
    case 'bool':
      return String(resolved.value);
    case 'str':
    case 'timestamp':
      return quote(resolved.value);
  }
}
