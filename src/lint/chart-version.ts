import { quote } from '../go/strconv.ts';
import { parseConstraint, satisfies } from '../go/semver-constraint.ts';
import { parseVersion, type VersionParts } from '../go/semver.ts';
import { GoError } from '../go/value.ts';

const lowest = '0.0.0-0';

/** Returns the problem with a chart's version. */
export function versionProblem(version: string): string | undefined {
  if (version === '') return 'version is required';
  const parts = parsed(version);
  if (parts === undefined) return `version '${version}' is not a valid SemVer`;
  if (satisfies(parts, parseConstraint(`>${lowest}`))) return undefined;
  return `version ${quote(version)} is less than or equal to ${quote(lowest)}`;
}

/**
 * Returns the problem with a version that is not strict SemVer, which has three numbers, no leading
 * zeros and no leading `v`.
 */
export function strictVersionProblem(version: string): string | undefined {
  const isStrict = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?![.\d])/.test(version) && parsed(version) !== undefined;
  return isStrict ? undefined : `version '${version}' is not a valid SemVerV2`;
}

function parsed(version: string): VersionParts | undefined {
  try {
    return parseVersion(version);
  } catch (error) {
    if (error instanceof GoError) return undefined;
    throw error;
  }
}
