import { ChartError } from '../../chart/chart-error.ts';
import { compilePathPattern } from '../../chart/load/path-match.ts';
import { splitDocuments } from '../../render/manifest/documents.ts';
import { listFlag } from '../pflag/flag.ts';

export const showOnlyFlag = listFlag(
  'show-only',
  'print only the output of this template, a path or a pattern; may be repeated',
  { shorthand: 's' },
);

/**
 * Returns the rendered manifests of some templates, which are given as paths below the chart or as
 * patterns of Go's `filepath.Match` (pkg/cmd/template.go). Throws an error with Helm's text if a
 * pattern does not match any template.
 */
export function showOnly(output: string, patterns: readonly string[]): string {
  const manifests = splitDocuments(output).map((text) => ({
    text,
    path: /# Source: (?:(?!# Source: )[^/\n])+\/(.+)/.exec(text)?.[1],
  }));
  return patterns
    .flatMap((pattern) => {
      const matches = matcherOf(pattern);
      const shown = manifests.filter(({ path }) => path !== undefined && matches(path));
      if (shown.length === 0) throw new Error(`could not find template ${pattern} in chart`);
      return shown.map(({ text }) => `---\n${text}\n`);
    })
    .join('');
}

/** An invalid pattern does not match anything, as in Helm. */
function matcherOf(pattern: string): (path: string) => boolean {
  try {
    const expression = compilePathPattern(pattern);
    return (path) => expression.test(path);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    return () => false;
  }
}
