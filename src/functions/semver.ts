import { LRUCache } from 'lru-cache';
import { parseVersion, Version } from '../go/semver.ts';
import { type Constraint, parseConstraint, satisfies } from '../go/semver-constraint.ts';
import type { FunctionFamily } from './support/family.ts';

const parsedConstraints = 500;

/** Sprig's functions for semantic versions. Parsed constraints are cached. */
export function versionFunctions(): FunctionFamily {
  const constraints = new LRUCache<string, Constraint>({
    maxSize: parsedConstraints, // unlike `max`, it reserves no memory at the start
    sizeCalculation: () => 1,
    memoMethod: (range) => parseConstraint(range),
  });
  return {
    semver: { params: ['string'], call: (text: string) => new Version(parseVersion(text)) },
    semverCompare: {
      params: ['string', 'string'],
      call: (range: string, text: string) => {
        const parsed = constraints.memo(range);
        return satisfies(parseVersion(text), parsed);
      },
    },
  };
}
