import { comparePrereleaseParts, compareVersions, parseVersion, type VersionParts } from './semver.ts';
import { quote } from './strconv.ts';
import { GoError } from './value.ts';

const maxLength = 512;
const maxGroups = 32;

const operator = String.raw`!=|>=|=>|<=|=<|~>|=|>|<|~|\^`;
const part = String.raw`[0-9|xX*]+`;
const suffixes = String.raw`(-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?`;
// The regular expression is unambiguous: a part that could match in several ways would make long
// constraints exponentially slow.
const version = String.raw`v?(${part})(?:(\.${part})(\.${part})?)?${suffixes}`;
const anyVersion = version.replaceAll(/\((?!\?)/g, '(?:');
const space = String.raw`[\t\n\f\r ]`;
const term = `(?:(?:${operator})${space}*)?${anyVersion}`;

const groupPattern = new RegExp(`^${space}*${term}(?:(?:${space}+(?:,${space}*)?|,${space}*)${term})*${space}*$`);
const termPattern = new RegExp(term, 'g');
const comparisonPattern = new RegExp(`^(${operator})?${space}*(${version})$`);
const rangePattern = new RegExp(`${space}*(${anyVersion})${space}+-${space}+(${anyVersion})${space}*`, 'g');

/** One comparison of a constraint. A wildcard or missing part makes it a range. */
interface Comparison {
  readonly operator: string;
  readonly version: VersionParts;
  readonly wildcard: boolean;
  readonly minorWildcard: boolean;
  readonly patchWildcard: boolean;
}

/**
 * A constraint as in Masterminds' semver: one of its groups must match, with all of its
 * comparisons.
 */
export type Constraint = readonly (readonly Comparison[])[];

/** Parses a constraint such as `>=1.2, <2 || ~3.1` as `semver.NewConstraint` does. */
export function parseConstraint(text: string): Constraint {
  if (text.length > maxLength) throw new GoError(`constraint string is too long (max ${maxLength} bytes)`);
  const groups = rewriteRanges(text).split('||');
  if (groups.length > maxGroups) throw new GoError(`too many constraint groups (max ${maxGroups})`);
  return groups.map((group) => {
    if (!groupPattern.test(group)) throw new GoError(`improper constraint: ${quote(group)}`);
    return (group.match(termPattern) ?? []).map(parseComparison);
  });
}

/** Rewrites `1.2 - 3` as a pair of comparisons. */
function rewriteRanges(text: string): string {
  let rewritten = text;
  for (const [range, low, high] of text.matchAll(rangePattern)) {
    rewritten = rewritten.replace(range, () => `>= ${low}, <= ${high} `);
  }
  return rewritten;
}

function parseComparison(text: string): Comparison {
  const match = comparisonPattern.exec(text);
  if (match === null) throw new GoError(`improper constraint: ${quote(text)}`);
  const [, operator = '', , major = '', minor = '', patch = '', prerelease = ''] = match;
  const wildcard = { operator, wildcard: true, minorWildcard: false, patchWildcard: false };
  if (isWildcard(major)) return { ...wildcard, version: parsePart(`0.0.0${prerelease}`) };
  if (isWildcard(minor)) {
    return { ...wildcard, minorWildcard: true, version: parsePart(`${major}.0.0${prerelease}`) };
  }
  if (isWildcard(patch)) {
    return { ...wildcard, patchWildcard: true, version: parsePart(`${major}${minor}.0${prerelease}`) };
  }
  return { ...wildcard, wildcard: false, version: parsePart(text.slice(operator.length).trim()) };
}

function isWildcard(part: string): boolean {
  return ['', 'x', 'X', '*'].includes(part.replace(/^\./, ''));
}

function parsePart(text: string): VersionParts {
  try {
    return parseVersion(text);
  } catch {
    throw new GoError('constraint parser error');
  }
}

/**
 * Whether a version satisfies a constraint. A prerelease does so only in a group that contains a
 * prerelease itself.
 */
export function satisfies(version: VersionParts, constraint: Constraint): boolean {
  return constraint.some((group) => {
    const prereleases = group.some((comparison) => comparison.version.prerelease !== '');
    if (version.prerelease !== '' && !prereleases) return false;
    return group.every((comparison) => satisfiesComparison(version, comparison));
  });
}

function satisfiesComparison(version: VersionParts, comparison: Comparison): boolean {
  switch (comparison.operator) {
    case '!=':
      return notEqual(version, comparison);
    case '>':
      return greater(version, comparison);
    case '<':
      return compareVersions(version, comparison.version) < 0;
    case '>=':
    case '=>':
      return compareVersions(version, comparison.version) >= 0;
    case '<=':
    case '=<':
      return lessOrEqual(version, comparison);
    case '~':
    case '~>':
      return tilde(version, comparison);
    case '^':
      return caret(version, comparison);
    default:
      return comparison.wildcard ? tilde(version, comparison) : compareVersions(version, comparison.version) === 0;
  }
}

function notEqual(version: VersionParts, comparison: Comparison): boolean {
  const { version: wanted, wildcard, minorWildcard, patchWildcard } = comparison;
  if (wildcard) {
    if (wanted.major !== version.major) return true;
    if (wanted.minor !== version.minor && !minorWildcard) return true;
    if (minorWildcard) return false;
    if (wanted.patch !== version.patch && !patchWildcard) return true;
    if (patchWildcard) return comparePrereleaseParts(version.prerelease, wanted.prerelease) !== 0;
  }
  return compareVersions(version, wanted) !== 0;
}

function greater(version: VersionParts, comparison: Comparison): boolean {
  const { version: wanted, minorWildcard, patchWildcard } = comparison;
  if (minorWildcard) return version.major > wanted.major;
  if (patchWildcard && version.major === wanted.major) return version.minor > wanted.minor;
  return compareVersions(version, wanted) > 0;
}

function lessOrEqual(version: VersionParts, comparison: Comparison): boolean {
  const { version: wanted, wildcard, minorWildcard } = comparison;
  if (!wildcard) return compareVersions(version, wanted) <= 0;
  if (version.major !== wanted.major) return version.major < wanted.major;
  return minorWildcard || version.minor <= wanted.minor;
}

function tilde(version: VersionParts, comparison: Comparison): boolean {
  const { version: wanted, minorWildcard, patchWildcard } = comparison;
  if (compareVersions(version, wanted) < 0) return false;
  const zero = wanted.major === 0n && wanted.minor === 0n && wanted.patch === 0n;
  if (zero && !minorWildcard && !patchWildcard) return true;
  return version.major === wanted.major && (minorWildcard || version.minor === wanted.minor);
}

function caret(version: VersionParts, comparison: Comparison): boolean {
  const { version: wanted, minorWildcard, patchWildcard } = comparison;
  if (compareVersions(version, wanted) < 0) return false;
  if (version.major !== wanted.major) return false;
  if (wanted.major > 0n || minorWildcard) return true;
  if (version.minor !== wanted.minor) return false;
  return wanted.minor > 0n || patchWildcard || version.patch === wanted.patch;
}
