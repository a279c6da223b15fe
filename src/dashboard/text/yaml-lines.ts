import { dump } from 'js-yaml';
import { foreignLines } from './foreign-text.ts';

/** Returns a value as lines of YAML. */
export function yamlLines(value: unknown): string[] {
  return foreignLines(dump(value, { lineWidth: -1, noRefs: true, sortKeys: true }).trimEnd());
}
