import type { ProblemClass } from '../protocol/problem-codes.ts';
import type { FailFast } from './fail-fast.ts';
import type { Problem } from './problem.ts';

/** A resource that a wait still waits for. */
export interface WaitedResource {
  /** Identifies the resource among those of the wait. */
  id: string;
  problem?: (Pick<Problem, 'code' | 'failures' | 'exit' | 'running'> & { class: ProblemClass }) | undefined;
}

/** How long problems may last. */
export type Graces = Pick<FailFast, 'grace' | 'crashGrace'>;

/** Failures of a container in the same way that end a wait. A start may fail twice. */
const equalFailures = 3;

/** The likely problems of a wait. */
export type SeenProblems = ReadonlyMap<string, SeenProblem>;

interface SeenProblem {
  /** The id of the resource. */
  id: string;
  /** When the problem was first seen, in milliseconds. */
  since: number;
  /** When it was first seen to be gone. Undefined while it is there. */
  goneSince?: number;
  /** Failures after which one more ends the wait. Undefined during the grace. */
  failures?: number;
  crashes?: Crashes;
}

/** The failures of a container. */
interface Crashes {
  failures: number;
  exit: string;
  /** Number of the failures before it ended in this way. */
  others: number;
  /** Number of the runs that began before it was seen, or while another resource was starting. */
  earlierRuns: number;
}

interface Verdict {
  ids: string[];
  seenProblems: SeenProblems;
  /** Milliseconds until a grace ends. Undefined if none runs. */
  changesIn: number | undefined;
}

/**
 * Returns the ids of the resources whose problems end a wait. Those with a fatal problem do at
 * once. Those with a likely one do if it has lasted for the grace and then occurs once more, unless
 * another resource is still starting: they may depend on it. The grace is shorter for a container
 * that has failed three times in the same way, at least once since all other resources are ready.
 *
 * All times come from one clock, so that the clocks of the cluster do not count.
 */
export function failedResources(
  resources: readonly WaitedResource[],
  earlier: SeenProblems,
  { now, grace, crashGrace }: Graces & { now: number },
): Verdict {
  const likely = resources.filter(({ problem }) => problem?.class === 'likely');
  const starting = resources.filter(isStarting);
  const mayDepend = (id: string) => starting.some((other) => other.id !== id);
  const known = stillKnown(earlier, new Set(likely.map(keyOf)), { now, grace });
  const seenProblems = new Map(known.map(([key, seen]) => [key, mayDepend(seen.id) ? withLaterRun(seen) : seen]));
  const ids = resources.filter(({ problem }) => problem?.class === 'fatal').map(({ id }) => id);
  for (const resource of likely) {
    const { id, problem } = resource;
    const before = seenProblems.get(keyOf(resource));
    const since = before?.since ?? now;
    const mayHeal = now - since < grace || mayDepend(id);
    const count = problem?.failures;
    const most = mayHeal ? undefined : Math.min(before?.failures ?? Infinity, count ?? -1);
    const crashes = problem && crashesOf(problem, before?.crashes, mayDepend(id));
    seenProblems.set(keyOf(resource), {
      id,
      since,
      ...(most !== undefined && { failures: most }),
      ...(crashes && { crashes }),
    });
    // without a count, the problem has lasted
    const hasRecurred = most !== undefined && (count ?? 0) > most;
    if (hasRecurred || (now - since >= crashGrace && hasRepeated(crashes))) ids.push(id);
  }
  const ends = [...seenProblems.values()].flatMap(({ since, crashes }) => [
    since + grace,
    ...(crashes ? [since + crashGrace] : []),
  ]);
  const left = ends.map((end) => end - now).filter((time) => time > 0);
  return { ids, seenProblems, changesIn: left.length === 0 ? undefined : Math.min(...left) };
}

function crashesOf(
  { failures, exit, running }: NonNullable<WaitedResource['problem']>,
  before: Crashes | undefined,
  mayDepend: boolean,
): Crashes | undefined {
  if (failures === undefined || exit === undefined) return undefined;
  // a pod that was replaced is counted again
  const earlier = before && failures >= before.failures ? before : undefined;
  const others = earlier === undefined || exit === earlier.exit ? (earlier?.others ?? 0) : failures - 1;
  const runs = running ? failures + 1 : failures;
  const earlierRuns = mayDepend || earlier === undefined ? runs : earlier.earlierRuns;
  return { failures, exit, others, earlierRuns };
}

function hasRepeated(crashes: Crashes | undefined): boolean {
  if (crashes === undefined) return false;
  const { failures, others, earlierRuns } = crashes;
  return failures - others >= equalFailures && failures > earlierRuns;
}

function keyOf({ id, problem }: WaitedResource): string {
  return `${id} ${problem?.code ?? ''}`;
}

/** Forgets problems that have been gone for the grace. */
function stillKnown(
  earlier: SeenProblems,
  present: ReadonlySet<string>,
  { now, grace }: { now: number; grace: number },
): [string, SeenProblem][] {
  return [...earlier].flatMap(([key, { goneSince = now, ...seen }]) => {
    if (present.has(key)) return [[key, seen]];
    return now - goneSince > grace ? [] : [[key, { ...seen, goneSince }]];
  });
}

/** While other resources start, a container that shows no failure may have begun to run. */
function withLaterRun({ crashes, ...seen }: SeenProblem): SeenProblem {
  return crashes ? { ...seen, crashes: { ...crashes, earlierRuns: crashes.failures + 1 } } : seen;
}

function isStarting({ problem }: WaitedResource): boolean {
  return problem === undefined || problem.class === 'transient';
}
