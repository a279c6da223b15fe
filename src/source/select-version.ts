import { compareVersions } from '../go/semver.ts';
import { parseConstraint, satisfies, type Constraint } from '../go/semver-constraint.ts';
import { GoError } from '../go/value.ts';
import type { IndexedVersion } from './index-entry.ts';
import { SourceError } from './source-error.ts';

const shownVersions = 5;

/**
 * Chooses a version as Helm does: the one that is written exactly so, else the newest that satisfies `wanted` as a constraint,
 * of equal ones the first. Empty: the newest that is no pre-release. Throws {@link SourceError}.
 */
export function selectVersion(chart: string, versions: readonly IndexedVersion[], wanted: string): IndexedVersion {
  const constraint = readConstraint(wanted === '' ? '*' : wanted);
  const newestFirst = versions.toSorted((a, b) => compareVersions(b.parts, a.parts));
  const selected =
    newestFirst.find(({ version }) => version === wanted) ??
    newestFirst.find(({ parts }) => satisfies(parts, constraint));
  if (selected === undefined) throw notFound(chart, newestFirst, wanted);
  return selected;
}

/** Whether Helm takes what a user wants for a range; else another version than the wanted one deserves a word (pkg/repo/v1/index.go: isVersionRange). */
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
    );
  }
}

function notFound(chart: string, newestFirst: readonly IndexedVersion[], wanted: string): SourceError {
  const lacking = wanted === '' ? 'no stable version' : `no version that satisfies ${JSON.stringify(wanted)}`;
  return new SourceError(
    'version_not_found',
    `the chart ${JSON.stringify(chart)} has ${lacking}; ${presentVersions(newestFirst)}`,
  );
}

function presentVersions(newestFirst: readonly IndexedVersion[]): string {
  if (newestFirst.length === 0) return 'the index has no valid version of it at all';
  const shown = newestFirst.slice(0, shownVersions).map(({ version }) => version);
  const more = newestFirst.length > shown.length ? ` and ${newestFirst.length - shown.length} older ones` : '';
  const hint = newestFirst.some(({ parts }) => parts.prerelease !== '')
    ? ' (pre-releases count only for a range that names one, such as ">0.0.0-0")'
    : '';
  return `it has ${shown.join(', ')}${more}${hint}`;
}
