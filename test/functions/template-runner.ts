import { functionMap } from '../../src/functions/function-map.ts';
import type { FunctionLimits } from '../../src/functions/limits.ts';
import { type GoFunction, NamedMap, type Value } from '../../src/go/value.ts';
import { Execution } from '../../src/template/execute/execution.ts';
import { TemplateSet } from '../../src/template/template-set.ts';
import { fixedHost } from '../support/host.ts';

/** Renders a template that calls functions; `.Values` is an empty `common.Values`. */
export function runTemplate(text: string, host = fixedHost, limits?: FunctionLimits): string {
  return runTemplateWith(functionMap(host, limits), text);
}

/** Renders a template that can call only these functions. */
export function runTemplateWith(functions: ReadonlyMap<string, GoFunction>, text: string): string {
  const set = TemplateSet.parse([{ name: 't', text }], { functions });
  const dot = new Map<string, Value>([['Values', new NamedMap('common.Values')]]);
  return new Execution(set, { missingKey: 'zero' }).execute('t', dot);
}
