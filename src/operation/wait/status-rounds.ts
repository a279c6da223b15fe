import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { ResourceStatus } from '../progress.ts';
import { earliestOf } from './earliest.ts';
import type { ObjectWatches } from './object-watches.ts';
import type { Judgement } from './readiness-judgement.ts';
import { withSince } from './with-since.ts';

/** The objects of a wait, and the rules for their statuses. */
export interface StatusRules {
  /** None is shown in a state that is older than the version with which it was seen. */
  objects: readonly SeenObject[];
  /** Judges an object, which is undefined if it does not exist. */
  judge(object: KubeObject | undefined, ref: ObjectRef, previous: ResourceStatus | undefined): Judgement;
  /** Returns the milliseconds by which the API server's clock is ahead. Default: 0. */
  clockOffset?(): number;
  /** Returns a number that grows when objects change that the status of this one depends on. */
  surroundingsVersion?(ref: ObjectRef): number;
  /** Judges an object that the API server refuses to show. Default: the refusal is thrown. */
  judgeRefused?(ref: ObjectRef, refusal: Error): Judgement;
}

interface Round {
  /** In the order of the objects. Those that are not known yet are `Unknown`. */
  statuses: readonly ResourceStatus[];
  /** Whether all objects are known. */
  isComplete: boolean;
  /** Milliseconds after which a status may change although no object does. */
  changesIn: number | undefined;
}

/** An object as it was judged last. */
interface Judged {
  object: KubeObject | Error | undefined | 'unknown';
  surroundings: number | undefined;
  /** When to judge it again, in milliseconds since the Unix epoch. */
  due: number;
  status: ResourceStatus;
}

/** Returns a function that judges the objects which have changed since its last call. */
export function statusRounds(watches: ObjectWatches, rules: StatusRules): (now: number) => Round {
  let judged: Judged[] = [];
  return (now) => {
    judged = rules.objects.map((seen, index) =>
      judge(rules, seen, found(watches, seen, rules, now), judged[index], now),
    );
    return {
      statuses: judged.map(({ status }) => status),
      isComplete: judged.every(({ object }) => object !== 'unknown'),
      changesIn: earliestOf([...judged.map(({ due }) => due - now), watches.nextLook(now)]),
    };
  };
}

function found(watches: ObjectWatches, seen: SeenObject, rules: StatusRules, now: number): Judged['object'] {
  try {
    return watches.find(seen, now);
  } catch (error) {
    if (rules.judgeRefused === undefined || !(error instanceof Error)) throw error;
    return error;
  }
}

function judge(
  rules: StatusRules,
  { ref }: SeenObject,
  object: Judged['object'],
  last: Judged | undefined,
  now: number,
): Judged {
  const surroundings = rules.surroundingsVersion?.(ref);
  if (last !== undefined && last.object === object && last.surroundings === surroundings && now < last.due) return last;
  if (object === 'unknown') return { object, surroundings, due: Infinity, status: { ...ref, status: 'Unknown' } };
  const previous = last?.object === 'unknown' ? undefined : last?.status;
  const judged = judgementOf(rules, object, ref, last?.status);
  const status = withSince(judged.status, object instanceof Error ? undefined : object, {
    previous,
    now,
    clockOffset: rules.clockOffset?.() ?? 0,
  });
  // judging an object for the first time may start watches
  return { object, surroundings: rules.surroundingsVersion?.(ref), due: now + (judged.changesIn ?? Infinity), status };
}

function judgementOf(
  rules: StatusRules,
  object: KubeObject | Error | undefined,
  ref: ObjectRef,
  previous: ResourceStatus | undefined,
): Judgement {
  if (!(object instanceof Error)) return rules.judge(object, ref, previous);
  return rules.judgeRefused?.(ref, object) ?? { status: { ...ref, status: 'Unknown', reason: object.message } };
}
