import { GoRegexp } from '../../../functions/support/go-regexp.ts';
import { compareVersions } from '../../../go/semver.ts';
import { compareStrings } from '../../../go/text.ts';
import type { IndexedVersion } from '../../../source/repository/index-entry.ts';

/** A version of a chart in a repository that was added. */
export interface SearchableChart extends IndexedVersion {
  /** `REPOSITORY/CHART` */
  readonly name: string;
  readonly chart: string;
  readonly repository: string;
}

export interface SearchResult {
  readonly chart: SearchableChart;
  /** The lower, the better. */
  readonly score: number;
}

/** Between the fields that are searched. */
const separator = '\v';
const worstScore = 25;

/**
 * Returns the charts with a term in name, description or keywords, or all without a term; the best
 * first (pkg/cmd/search/search.go). Throws an error if a regular expression is not valid.
 */
export function searchCharts(
  charts: readonly SearchableChart[],
  term: string | undefined,
  isExpression: boolean,
): SearchResult[] {
  const find = finderOf(term, isExpression);
  const results = charts.flatMap((chart) => {
    const score = term === undefined ? 0 : find(fieldsOf(chart));
    return score === undefined || score >= worstScore ? [] : [{ chart, score }];
  });
  return results.toSorted(compareResults);
}

function fieldsOf({ chart, repository, description, keywords }: SearchableChart): string {
  return [chart, `${repository}/${chart}`, description, keywords.join(' ')].join(separator);
}

/** Returns a function from the fields of a chart to the score; undefined without a match. */
function finderOf(term = '', isExpression: boolean): (fields: string) => number | undefined {
  if (!isExpression) {
    const lower = term.toLowerCase();
    return (fields) => scoreAt(fields.toLowerCase(), fields.toLowerCase().indexOf(lower));
  }
  const expression = new GoRegexp(term);
  return (fields) => scoreAt(fields, expression.indexIn(fields));
}

/** The score is the number of the field in which the match begins. */
function scoreAt(fields: string, at: number): number | undefined {
  return at < 0 ? undefined : fields.slice(0, at).split(separator).length - 1;
}

function compareResults(a: SearchResult, b: SearchResult): number {
  if (a.score !== b.score) return a.score - b.score;
  return compareStrings(a.chart.name, b.chart.name) || compareVersions(b.chart.parts, a.chart.parts);
}
