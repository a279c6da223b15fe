import { parseVersion } from '../../go/semver.ts';
import { parseConstraint, satisfies } from '../../go/semver-constraint.ts';
import { GoError } from '../../go/value.ts';

/**
 * Reports whether a version is in a range; false if either is invalid
 * (pkg/chart/v2/util/compatible.go: IsCompatibleRange).
 */
export function isCompatibleRange(range: string, version: string): boolean {
  try {
    return satisfies(parseVersion(version), parseConstraint(range));
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}
