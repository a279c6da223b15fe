import { posix } from 'node:path';
import { ChartError } from '../chart-error.ts';
import { compilePathPattern } from './path-match.ts';

interface Rule {
  pattern: RegExp;
  /** Without a slash in it a rule is about names, with one about whole paths. */
  onName: boolean;
  negated: boolean;
  directoriesOnly: boolean;
}

/** Rules that say which files of a folder are no part of the chart. */
export type IgnoreRules = readonly Rule[];

/** Reads a .helmignore; Helm's own rule, that hidden files below templates/ are no templates, comes last (pkg/ignore/rules.go). Throws {@link ChartError}. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  return [...lines, 'templates/.?*'].flatMap((line) => {
    const rule = parseRule(line.trim());
    return rule === undefined ? [] : [rule];
  });
}

function parseRule(line: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  if (line.includes('**')) throw new ChartError('chart_invalid', 'double-star (**) syntax is not supported');
  const negated = line.startsWith('!');
  const directoriesOnly = line.endsWith('/');
  const rule = line.slice(negated ? 1 : 0, directoriesOnly ? -1 : undefined);
  return {
    pattern: compilePathPattern(rule.replace(/^\//, '')),
    onName: !rule.includes('/'),
    negated,
    directoriesOnly,
  };
}

/** Whether a path, relative to the chart's folder, is ignored. A negated rule ignores, as in Helm, all that it does not name. */
export function isIgnored(rules: IgnoreRules, path: string, isDirectory: boolean): boolean {
  for (const { pattern, onName, negated, directoriesOnly } of rules) {
    const applies = !directoriesOnly || isDirectory;
    const matches = applies && pattern.test(onName ? posix.basename(path) : path);
    if (negated ? !matches : matches) return true;
  }
  return false;
}
