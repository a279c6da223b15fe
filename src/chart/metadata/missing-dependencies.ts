import { parseVersion } from '../../go/semver.ts';
import { parseConstraint, satisfies } from '../../go/semver-constraint.ts';
import { GoError } from '../../go/value.ts';
import type { Chart } from '../chart.ts';
import type { ChartDependency } from './metadata.ts';

/** A dependency that is not in the charts/ folder. */
export interface MissingDependency {
  name: string;
  /** A version or a range. */
  version: string;
  /** Empty if Chart.yaml names none. */
  repository: string;
}

/**
 * Returns the dependencies that charts/ does not contain, with the version that Chart.lock has if
 * it still fits Chart.yaml.
 */
export function missingDependencies({
  metadata,
  dependencies,
  lock,
}: Pick<Chart, 'metadata' | 'dependencies' | 'lock'>) {
  const present = new Set(dependencies.map((chart) => chart.metadata.name));
  const missing = (metadata.dependencies ?? []).filter(({ name }) => !present.has(name));
  return missing.map((dependency): MissingDependency => {
    const { name, version = '', repository } = dependency;
    return { name, version: lockedVersion(dependency, lock) ?? version, repository };
  });
}

function lockedVersion({ name, version = '', repository }: ChartDependency, lock: Chart['lock']): string | undefined {
  const entries: unknown[] = Array.isArray(lock?.['dependencies']) ? lock['dependencies'] : [];
  return entries
    .filter((entry): entry is Record<string, unknown> => typeof entry === 'object' && entry !== null)
    .filter((entry) => entry['name'] === name && entry['repository'] === repository)
    .map((entry) => entry['version'])
    .find((locked): locked is string => typeof locked === 'string' && fits(locked, version));
}

function fits(version: string, range: string): boolean {
  try {
    return satisfies(parseVersion(version), parseConstraint(range));
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}
