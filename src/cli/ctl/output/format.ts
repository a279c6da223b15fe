import { encodeJson } from '../../../go/json-encode.ts';
import type { Value } from '../../../go/value.ts';
import { writeYaml } from '../../../yaml/write.ts';

/** The formats of helm's `--output`. */
export const outputFormats = ['table', 'json', 'yaml'] as const;

export type OutputFormat = (typeof outputFormats)[number];

/**
 * Data as Go prints it: an object is a struct, whose fields keep their order and are left out if
 * they are undefined. The keys of a map are sorted.
 */
export type Printable = Value | PrintableList | Fields;

type PrintableList = ReadonlyArray<Value | Fields>;

export interface Fields {
  readonly [field: string]: Printable | undefined;
}

/** The output of a command in all formats. */
export interface Output {
  table(): string;
  /** Data for JSON and YAML. */
  data(): Printable;
}

/** Returns the output in a format (pkg/cli/output/output.go). */
export function textOf(format: OutputFormat, output: Output): string {
  switch (format) {
    case 'table':
      return output.table();
    case 'json':
      return `${jsonText(output.data())}\n`;
    case 'yaml':
      return yamlText(output.data());
  }
}

export function yamlText(data: Printable): string {
  return writeYaml(valueOf(data));
}

function jsonText(data: Printable): string {
  if (isList(data)) return `[${data.map(jsonText).join(',')}]`;
  if (!isFields(data)) return encodeJson(data, { escapeHtml: true });
  const members = fieldsOf(data).map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`);
  return `{${members.join(',')}}`;
}

function valueOf(data: Printable): Value {
  if (isList(data)) return data.map(valueOf);
  return isFields(data) ? new Map(fieldsOf(data).map(([name, value]) => [name, valueOf(value)])) : data;
}

function isList(data: Printable): data is PrintableList {
  return Array.isArray(data);
}

/** Values of Go are objects of classes. */
function isFields(data: Exclude<Printable, PrintableList>): data is Fields {
  return typeof data === 'object' && data !== null && Object.getPrototypeOf(data) === Object.prototype;
}

function fieldsOf(fields: Fields): [string, Printable][] {
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}
