import { posix } from 'node:path';
import { ChartError } from '../chart-error.ts';
import { compilePathPattern, type PathPattern } from './path-match.ts';

interface Rule {
  pattern: PathPattern;
  /** Whether the rule matches names (a pattern without a slash) or whole paths. */
  onName: boolean;
  negated: boolean;
  directoriesOnly: boolean;
}

/** Rules for files that are not part of the chart. */
export type IgnoreRules = readonly Rule[];

/**
 * Parses a .helmignore file. Helm's built-in rule, which ignores hidden files in templates/, comes
 * last (pkg/ignore/rules.go). Throws {@link ChartError}.
 */
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

/**
 * Reports whether a path, relative to the chart's folder, is ignored. As in Helm, a negated rule
 * ignores everything that it does not match.
 */
export function isIgnored(rules: IgnoreRules, path: string, isDirectory: boolean): boolean {
  for (const { pattern, onName, negated, directoriesOnly } of rules) {
    const applies = !directoriesOnly || isDirectory;
    const matches = applies && pattern.test(onName ? posix.basename(path) : path);
    if (negated ? !matches : matches) return true;
  }
  return false;
}
