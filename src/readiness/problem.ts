import { type ProblemClass, type ProblemCode, problems } from '../protocol/problem-codes.ts';

/** Why a resource is not ready. */
export interface Problem {
  code: ProblemCode;
  /** `ImagePullBackOff: Back-off pulling image "x" (container app of pod web-1)`. */
  text: string;
  /** How often it was seen to fail. Absent if it lasts, and nothing is tried again. */
  failures?: number;
  /** How the last run of a restarted container ended, such as `1` or `137 OOMKilled`. */
  exit?: string;
  /** Whether a container that has failed runs again. Default: false. */
  running?: boolean;
  /** The problem of a pod that made a Job fail. Absent if no pod shows one. */
  cause?: ProblemCode;
  container?: string;
}

const order: Readonly<Record<ProblemClass, number>> = { fatal: 0, likely: 1, transient: 2 };

/** Sorts problems, the most serious first, and those of pods that only start last. */
export function bySeverity(a: Problem, b: Problem): number {
  return rank(a) - rank(b);
}

function rank({ code }: Problem): number {
  return code === 'starting' ? 3 : order[problems[code].class];
}
