import { compareVersions, type VersionParts } from '../go/semver.ts';
import { type Constraint, parseConstraint, satisfies } from '../go/semver-constraint.ts';
import { GoError } from '../go/value.ts';
import { SourceError } from './source-error.ts';

/** A version of a chart, as text and parsed. */
export interface ChartVersion {
  readonly version: string;
  readonly parts: VersionParts;
}

const shownVersions = 5;

/**
 * Selects a version as Helm does: the one written exactly like `wanted`, else the newest that
 * satisfies `wanted` as a constraint, or the first of equal ones. If `wanted` is empty: the newest
 * stable version. Throws {@link SourceError}.
 */
export function selectVersion<Version extends ChartVersion>(
  chart: string,
  versions: readonly Version[],
  wanted: string,
): Version {
  const constraint = readConstraint(wanted === '' ? '*' : wanted);
  const selected = versions.find(({ version }) => version === wanted) ?? newestThat(versions, constraint);
  if (selected === undefined) throw notFound(chart, versions, wanted);
  return selected;
}

/** Does not sort the versions, because a list of a stranger can have many that are long. */
function newestThat<Version extends ChartVersion>(
  versions: readonly Version[],
  constraint: Constraint,
): Version | undefined {
  let newest: Version | undefined;
  for (const version of versions) {
    const isNewer = newest === undefined || compareVersions(version.parts, newest.parts) > 0;
    if (isNewer && satisfies(version.parts, constraint)) newest = version;
  }
  return newest;
}

function newestOf(versions: readonly ChartVersion[], count: number): ChartVersion[] {
  const newest: ChartVersion[] = [];
  for (const version of versions) {
    const at = newest.findIndex(({ parts }) => compareVersions(version.parts, parts) > 0);
    if (at >= 0) newest.splice(at, 0, version);
    else if (newest.length < count) newest.push(version);
    newest.length = Math.min(newest.length, count);
  }
  return newest;
}

/**
 * Whether Helm treats a requested version as a range. If not, it warns when it selects another
 * version (pkg/repo/v1/index.go: isVersionRange).
 */
export function isVersionRange(wanted: string): boolean {
  return /[~^<>=!*]|\|\|| - /.test(wanted) || /^[^-+]*x/i.test(wanted);
}

function readConstraint(text: string): Constraint {
  try {
    return parseConstraint(text);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new SourceError(
      'invalid_version',
      `the chart version ${JSON.stringify(text)} is neither a version nor a range such as ">=1.2.0 <2.0.0": ${error.message}`,
      { cause: error },
    );
  }
}

function notFound(chart: string, versions: readonly ChartVersion[], wanted: string): SourceError {
  const lacking = wanted === '' ? 'no stable version' : `no version that satisfies ${JSON.stringify(wanted)}`;
  return new SourceError(
    'version_not_found',
    `the chart ${JSON.stringify(chart)} has ${lacking}; ${presentVersions(versions)}`,
  );
}

function presentVersions(versions: readonly ChartVersion[]): string {
  if (versions.length === 0) return 'it has no valid version at all';
  const shown = newestOf(versions, shownVersions).map(({ version }) => version);
  const more = versions.length > shown.length ? ` and ${versions.length - shown.length} older ones` : '';
  const hint = versions.some(({ parts }) => parts.prerelease !== '')
    ? ' (only a range with a pre-release, such as ">0.0.0-0", includes pre-releases)'
    : '';
  return `it has ${shown.join(', ')}${more}${hint}`;
}
