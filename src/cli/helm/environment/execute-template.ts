import type { Value } from '../../../go/value.ts';
import { Execution } from '../../../template/execute/execution.ts';
import { TemplateSet } from '../../../template/template-set.ts';

/**
 * Returns the output of a Go template. Throws `GoError`, after `onFailure` was called with what the
 * template had written.
 */
export function executeTemplate(text: string, data: Value, onFailure?: (written: string) => void): string {
  const name = '_';
  const templates = TemplateSet.parse([{ name, text }], { functions: new Map(), name });
  const execution = new Execution(templates, { missingKey: 'invalid' });
  try {
    return execution.execute(name, data);
  } catch (error) {
    onFailure?.(execution.written);
    throw error;
  }
}
