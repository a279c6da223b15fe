import { ChartError } from '../../chart/chart-error.ts';
import { compilePathPattern } from '../../chart/load/path-match.ts';
import { splitManifests } from '../../render/manifest/manifest.ts';

/**
 * Of rendered manifests those that come from the templates that were asked for, by path below the chart or by pattern of Go's
 * `filepath.Match` (pkg/cmd/template.go). Throws an error with Helm's text where a pattern names no template.
 */
export function showOnly(output: string, patterns: readonly string[]): string {
  const manifests = splitManifests(output).map((text) => ({ text, path: /# Source: [^/\n]+\/(.+)/.exec(text)?.[1] }));
  return patterns
    .flatMap((pattern) => {
      const matches = matcher(pattern);
      const shown = manifests.filter(({ path }) => path !== undefined && matches(path));
      if (shown.length === 0) throw new Error(`could not find template ${pattern} in chart`);
      return shown.map(({ text }) => `---\n${text}\n`);
    })
    .join('');
}

/** A pattern in error matches nothing, as in Helm. */
function matcher(pattern: string): (path: string) => boolean {
  try {
    const expression = compilePathPattern(pattern);
    return (path) => expression.test(path);
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    return () => false;
  }
}
