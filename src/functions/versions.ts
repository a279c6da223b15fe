import { parseConstraint, satisfies } from '../go/semver-constraint.ts';
import { parseVersion, Version } from '../go/semver.ts';
import { cached } from './support/bounded-cache.ts';
import type { FunctionFamily } from './family.ts';

const parsedConstraints = 500;

/** Sprig's functions over semantic versions; constraints are parsed once. */
export function versionFunctions(): FunctionFamily {
  const constraint = cached(parsedConstraints, parseConstraint);
  return {
    semver: { params: ['string'], call: (text: string) => new Version(parseVersion(text)) },
    semverCompare: {
      params: ['string', 'string'],
      call: (range: string, text: string) => {
        const parsed = constraint(range);
        return satisfies(parseVersion(text), parsed);
      },
    },
  };
}
