import { createHash } from 'node:crypto';
import { stringAt } from '../../objects/fields.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { Drift } from '../../protocol/drift.ts';
import type { ObjectChange } from '../../protocol/object-change.ts';
import type { ResourceProgress } from '../../protocol/progress.ts';
import type { Event } from './api-client.ts';

type Status = Extract<Event, { type: 'status' }>['payload'];
type Lists = Pick<Status, 'resources' | 'objects' | 'drift'>;

/** Most time in milliseconds in which a watch compares all objects for the first time. */
const comparisonMs = 5 * 60_000;

export interface JoinedWatches {
  show(event: Event): void;
  /** Forgets the end of the watch, because another one follows. */
  next(): void;
  /** Shows the end of the last watch. */
  end(): void;
}

/**
 * Shows the events of watches that follow each other as those of one: each state is shown once, and
 * only the last watch ends. An object that is deleted between two watches is shown as deleted with
 * the next change. Drift that goes away between two watches is new when it comes back.
 */
export function joinedWatches(show: (event: Event) => void): JoinedWatches {
  const known = new KnownStates();
  const held: Event[] = [];
  let [lastId, lastSeq, idsBefore, seqsBefore] = [0, 0, 0, 0];
  let isFirst = true;
  function pass(event: Event): void {
    if (event.type === 'accepted' && !isFirst) return;
    if (event.type !== 'status') {
      lastId = event.id + idsBefore;
      show({ ...event, id: lastId });
      return;
    }
    const { resources, objects, drift, ...rest } = event.payload;
    const news = known.newsOf({ resources, objects, drift });
    const isKnown = Object.keys(news).length === 0 && rest.message === undefined && rest.state === 'running';
    if (isKnown && !isFirst) {
      seqsBefore -= 1; // so that no status seems to be lost
      return;
    }
    lastId = event.id + idsBefore;
    lastSeq = rest.seq + seqsBefore;
    show({
      ...event,
      id: lastId,
      payload: { ...rest, ...(isFirst ? { resources, objects, drift } : news), seq: lastSeq },
    });
  }
  function release(): void {
    for (const event of held.splice(0)) pass(event);
  }
  return {
    show(event) {
      if (event.type === 'status' && event.payload.step === 'watch') known.note(event.payload.time);
      const isEnd = event.type === 'result' || (event.type === 'status' && event.payload.state !== 'running');
      if (isEnd) {
        held.push(event);
        return;
      }
      release();
      pass(event);
    },
    next() {
      held.length = 0;
      isFirst = false;
      [idsBefore, seqsBefore] = [lastId, lastSeq];
      known.next();
    },
    end: release,
  };
}

/** The last state of each thing that is watched. */
class KnownStates {
  readonly #resources = new Map<string, string>();
  readonly #drift = new Map<string, string>();
  readonly #objects = new Map<string, { state: string; deletion: ObjectChange }>();
  /** The objects that the present watch has not reported. */
  readonly #unseen = new Set<string>();
  /** The drift that the present watch has not reported. */
  readonly #unseenDrift = new Set<string>();
  /** Time of the first status of the present watch, in milliseconds. */
  #begun = NaN;

  /** Notes that another watch begins, which reports all states again. */
  next(): void {
    for (const key of this.#objects.keys()) this.#unseen.add(key);
    for (const key of this.#drift.keys()) this.#unseenDrift.add(key);
    this.#begun = NaN;
  }

  /** Notes the time of a status. A watch does not say when it has compared all objects. */
  note(time: string): void {
    const now = Date.parse(time);
    if (Number.isNaN(this.#begun)) this.#begun = now;
    if (now - this.#begun < comparisonMs) return;
    for (const key of this.#unseenDrift) this.#drift.delete(key);
    this.#unseenDrift.clear();
  }

  /** Returns the lists without what is known. Those that are empty then are absent. */
  newsOf({ resources = [], objects = [], drift = [] }: Lists): Lists {
    const news = {
      resources: resources.filter((one) => isNew(this.#resources, identityOf(one), withoutTimes(one))),
      objects: [...this.#deletedBefore(objects), ...objects.flatMap((one) => this.#newsOfObject(one))],
      drift: drift.filter((one) => this.#isNewDrift(one)),
    };
    return Object.fromEntries(Object.entries(news).filter(([, list]) => list.length > 0));
  }

  /** An object that was put back is as it was before it differed. */
  #isNewDrift(one: Drift): boolean {
    const key = identityOf(one);
    this.#unseenDrift.delete(key);
    const isChanged = isNew(this.#drift, key, withoutTimes(one));
    if (one.corrected === true) this.#drift.delete(key);
    return isChanged;
  }

  /** A watch begins with the objects that are present, so that others are gone at a change. */
  #deletedBefore(objects: readonly ObjectChange[]): ObjectChange[] {
    if (objects.length === 0 || objects.some(({ change }) => change === 'present')) return [];
    const reported = new Set(objects.map(objectKey));
    const gone = [...this.#unseen].filter((key) => !reported.has(key));
    this.#unseen.clear();
    return gone.flatMap((key) => {
      const { deletion } = this.#objects.get(key) ?? {};
      this.#objects.delete(key);
      return deletion ?? [];
    });
  }

  #newsOfObject(one: ObjectChange): ObjectChange[] {
    const key = objectKey(one);
    const before = this.#objects.get(key);
    this.#unseen.delete(key);
    if (one.change === 'deleted') {
      this.#objects.delete(key);
      return [one];
    }
    const state = digestOf({ ...one, change: undefined });
    this.#objects.set(key, { state, deletion: deletionOf(one) });
    if (one.change !== 'present') return [one];
    return before?.state === state ? [] : [{ ...one, change: before === undefined ? 'added' : 'changed' }];
  }
}

/** Notes a state. Returns whether it differs from the one that is known. */
function isNew(known: Map<string, string>, key: string, state: object): boolean {
  const digest = digestOf(state);
  const before = known.get(key);
  known.set(key, digest);
  return before !== digest;
}

/** States can be large objects, so that only this is kept of them. */
function digestOf(state: object): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('base64');
}

function objectKey({ object }: ObjectChange): string {
  return `${stringAt(object, 'metadata', 'namespace') ?? ''}/${stringAt(object, 'metadata', 'name') ?? ''}`;
}

function withoutTimes({
  fields,
  since: _,
  ...state
}: Partial<Pick<ResourceProgress, 'since'>> & Partial<Drift>): object {
  return { ...state, fields: fields?.map(({ time: _time, ...field }) => field) };
}

function deletionOf({ object }: ObjectChange): ObjectChange {
  const { apiVersion, kind } = object;
  const [name, namespace] = ['name', 'namespace'].map((field) => stringAt(object, 'metadata', field));
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { change: 'deleted', status: 'NotFound', object: { apiVersion, kind, metadata }, omitted: true };
}
