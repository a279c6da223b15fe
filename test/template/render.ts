import { sprint } from '../../src/go/fmt.ts';
import { type GoFunction, int, type Value } from '../../src/go/value.ts';
import { Execution, type ExecutionOptions } from '../../src/template/execute/execution.ts';
import { TemplateSet } from '../../src/template/template-set.ts';

/** JSON data for templates; whole numbers are floats. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Converts JSON to a template value. */
function toValue(json: Json): Value {
  if (Array.isArray(json)) return json.map(toValue);
  if (typeof json !== 'object' || json === null) return json;
  return new Map(Object.entries(json).map(([key, value]) => [key, toValue(value)]));
}

/** Functions with each kind of parameter. */
const sampleFunctions: ReadonlyMap<string, GoFunction> = new Map<string, GoFunction>([
  ['upper', { params: ['string'], call: (text: string) => text.toUpperCase() }],
  ['list', { params: ['interface {}'], variadic: true, call: (...items: Value[]) => items }],
  ['dict', { params: ['interface {}'], variadic: true, call: dict }],
  ['twice', { params: ['int'], call: ({ value }: ReturnType<typeof int>) => int(value * 2n) }],
  ['half', { params: ['float64'], call: (number: number) => number / 2 }],
  ['negate', { params: ['bool'], call: (flag: boolean) => !flag }],
  ['default', { params: ['interface {}', 'interface {}'], call: (fallback: Value, value: Value) => value ?? fallback }],
  ['join', { params: ['string', '[]interface {}'], call: (by: string, items: Value[]) => items.map(String).join(by) }],
  ['size', { params: ['map[string]interface {}'], call: (map: ReadonlyMap<string, Value>) => int(map.size) }],
  ['set', { params: ['map[string]interface {}', 'string', 'interface {}'], call: set }],
  ['nothing', { params: [], call: () => null }],
]);

function dict(...items: Value[]): Value {
  const map = new Map<string, Value>();
  for (let i = 0; i < items.length; i += 2) map.set(sprint(items.slice(i, i + 1)), items[i + 1] ?? null);
  return map;
}

function set(map: Map<string, Value>, key: string, value: Value): Value {
  return map.set(key, value);
}

export interface RenderOptions extends Partial<ExecutionOptions> {
  readonly functions?: ReadonlyMap<string, GoFunction>;
}

function isJson(data: Json | Value): data is Json {
  if (typeof data !== 'object' || data === null) return true;
  return data.constructor === Object || data.constructor === Array;
}

/** Renders a template named `t`. */
export function render(text: string, data: Json | Value = null, options: RenderOptions = {}): string {
  const { functions = sampleFunctions, ...rest } = options;
  const templates = TemplateSet.parse([{ name: 't', text }], { functions });
  return new Execution(templates, { missingKey: 'zero', ...rest }).execute('t', isJson(data) ? toValue(data) : data);
}

/** Returns the error message of a failing render. */
export function failure(text: string, data: Json | Value = null, options: RenderOptions = {}): string {
  try {
    return `no error, but ${JSON.stringify(render(text, data, options))}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
