import type { Value } from '../../../go/value.ts';
import { Execution } from '../../../template/execute/execution.ts';
import { TemplateSet } from '../../../template/template-set.ts';

/** Executes a template of Go with values by name. Throws `GoError`. */
export function executeTemplate(text: string, fields: Readonly<Record<string, Value>>): string {
  const name = '_';
  const templates = TemplateSet.parse([{ name, text }], { functions: new Map(), name });
  return new Execution(templates, { missingKey: 'invalid' }).execute(name, new Map(Object.entries(fields)));
}
