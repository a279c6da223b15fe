import type { ProblemClass, ProblemCode } from './problem.ts';

/** A resource that a wait still waits for. */
export interface WaitedResource {
  /** Identifies the resource among those of the wait. */
  id: string;
  problem?: { code: ProblemCode; class: ProblemClass; failures?: number } | undefined;
}

/** The likely problems of a wait. */
export type Suspicions = ReadonlyMap<string, Suspicion>;

interface Suspicion {
  /** When the problem was first seen, in milliseconds. */
  since: number;
  /** When it was first seen to be gone. Undefined while it is there. */
  goneSince?: number;
  /** Failures after which one more ends the wait. Undefined during the grace. */
  failures?: number;
}

interface Verdict {
  ids: string[];
  suspicions: Suspicions;
  /** Milliseconds until a grace ends. Undefined if none runs. */
  changesIn: number | undefined;
}

/**
 * Returns the ids of the resources whose problems end a wait. Those with a fatal problem do at
 * once. Those with a likely one do if it has lasted for the grace and then occurs once more, unless
 * another resource is still starting: they may depend on it.
 *
 * All times come from one clock, so that the clocks of the cluster do not count.
 */
export function hopeless(
  resources: readonly WaitedResource[],
  earlier: Suspicions,
  { now, grace }: { now: number; grace: number },
): Verdict {
  const likely = resources.filter(({ problem }) => problem?.class === 'likely');
  const suspicions = new Map(stillKnown(earlier, new Set(likely.map(keyOf)), { now, grace }));
  const ids = resources.filter(({ problem }) => problem?.class === 'fatal').map(({ id }) => id);
  for (const resource of likely) {
    const { since, failures } = suspicions.get(keyOf(resource)) ?? { since: now };
    const mayHeal = now - since < grace || resources.some((other) => other !== resource && isStarting(other));
    const count = resource.problem?.failures;
    const most = mayHeal ? undefined : Math.min(failures ?? Infinity, count ?? -1);
    suspicions.set(keyOf(resource), { since, ...(most !== undefined && { failures: most }) });
    // without a count, the problem has lasted
    if (most !== undefined && (count ?? 0) > most) ids.push(resource.id);
  }
  const graces = [...suspicions.values()].map(({ since }) => since + grace - now).filter((left) => left > 0);
  return { ids, suspicions, changesIn: graces.length === 0 ? undefined : Math.min(...graces) };
}

function keyOf({ id, problem }: WaitedResource): string {
  return `${id} ${problem?.code ?? ''}`;
}

/** Forgets problems that have been gone for the grace. */
function stillKnown(
  earlier: Suspicions,
  present: ReadonlySet<string>,
  { now, grace }: { now: number; grace: number },
): [string, Suspicion][] {
  return [...earlier].flatMap(([key, { goneSince = now, ...suspicion }]) => {
    if (present.has(key)) return [[key, suspicion]];
    return now - goneSince > grace ? [] : [[key, { ...suspicion, goneSince }]];
  });
}

function isStarting({ problem }: WaitedResource): boolean {
  return problem === undefined || problem.class === 'transient';
}
