import { YamlError } from '../yaml/yaml-error.ts';
import type { Report } from './finding.ts';
import type { ObjectHead } from './object-head.ts';
import { objectHeads } from './object-stream.ts';

/**
 * Calls `visit` for the objects of a file. Reports the first object that cannot be read, skips the
 * rest, and returns false.
 */
export function eachObject(text: string, path: string, report: Report, visit: (head: ObjectHead) => void): boolean {
  try {
    for (const head of objectHeads(text)) {
      if (head !== undefined) visit(head);
    }
    return true;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return report('ERROR', path, `unable to parse YAML: ${error.message}`);
  }
}
