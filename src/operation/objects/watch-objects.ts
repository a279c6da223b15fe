import { LRUCache } from 'lru-cache';
import { ChangeNotice, Notice, sleep } from '../../async/index.ts';
import type { Cluster, ObjectQuery, ObservedChange } from '../../objects/cluster.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import {
  maxChangedObjects,
  maxObjectLength,
  maxObjectsLength,
  type ObjectChange,
} from '../../protocol/object-change.ts';
import { Cancellation } from '../cancellation.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { redactedObject } from '../evidence/redacted-object.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import type { RequestOf } from '../request.ts';
import { stepRunner, type StepTools } from '../steps/step-runner.ts';
import { timeLimit } from '../time-limit.ts';
import { queryOf, statusOf } from './list-objects.ts';
import { shownObject } from './shown-object.ts';

const defaultDuration = 24 * 60 * 60_000;

/** Most objects that are followed, and most pages that they may take. A page has at most 2 MiB. */
const maxObjects = 1000;
const maxPages = 20;
const pageSize = 100;

/** Most changes that wait to be reported. Then nothing more is read until they are. */
const maxWaiting = 2000;

/** Shortest time between two reports, in milliseconds. */
const interval = 100;

/** Secrets that are read to find their values in texts, and how long they are known. */
const secretsKept = { max: 100, ttl: 30_000 };

/** A change that is not reported yet. */
interface Change {
  change: ObjectChange['change'];
  object: KubeObject;
}

/**
 * Reports the objects of a kind, and each change, until the operation is cancelled or its time is
 * over. Changes of one object within a moment are one. Returns the number of changes. Throws
 * `unknown_kind`, and `bad_request` for a wrong selector or if there are too many objects.
 */
export async function watchObjects(
  context: OperationContext,
  request: RequestOf<'watch_objects'>,
): Promise<{ reported: number }> {
  const { signal, abandon, host, progress, startTimer, cluster } = context;
  const ending = AbortSignal.any(abandon === undefined ? [signal] : [signal, abandon]);
  const query = await queryOf(context, request, ending);
  await requireFew(cluster, query, ending);
  // from here on, so that its time is that between its first status and its last one
  const limit = timeLimit(request.timeout ?? defaultDuration, [signal, abandon], startTimer);
  try {
    const runner = stepRunner(limit.signal, host, progress);
    const reported = await runner.step('watch', (tools) => follow(context, query, tools));
    abandon?.throwIfAborted();
    if (signal.aborted && !(signal.reason instanceof Cancellation)) signal.throwIfAborted();
    return { reported };
  } finally {
    limit.close();
  }
}

/** A watch brings all objects at once, so they are counted before. */
async function requireFew(cluster: Cluster, query: ObjectQuery, signal: AbortSignal): Promise<void> {
  let count = 0;
  let after: string | undefined;
  for (let pages = 0; pages < maxPages && count <= maxObjects; pages += 1) {
    const page = await cluster.listPage({ ...query, limit: pageSize, after }, signal);
    count += page.objects.length;
    after = page.next;
    if (after === undefined && count <= maxObjects) return;
  }
  const message = `there are more than ${maxObjects} objects, or they are too large to follow; name a namespace or a selector`;
  throw new OperationError('bad_request', message);
}

/** Reads changes and reports them, in turns, so that many changes of one object become one. */
async function follow(context: OperationContext, query: ObjectQuery, tools: StepTools): Promise<number> {
  const ended = new AbortController();
  const signal = AbortSignal.any([tools.signal, ended.signal]);
  const waiting = new Map<string, Change>();
  const [arrived, reported] = [new ChangeNotice(), new Notice()];
  let count = 0;
  signal.addEventListener('abort', arrived.give);
  const read = async () => {
    const changesIn = changesOf(query);
    for await (const observed of context.cluster.observe(query, signal)) {
      for (const change of changesIn(observed)) waiting.set(keyOf(change.object), change);
      arrived.give();
      while (waiting.size > maxWaiting && !signal.aborted) await reported.next(signal);
    }
  };
  const report = async () => {
    const shown = showing(context, query);
    while (!signal.aborted) {
      await arrived.next();
      const now = [...waiting.values()];
      waiting.clear();
      reported.give();
      for await (const objects of packetsOf(now, shown, signal)) {
        count += objects.length;
        tools.report({ objects });
      }
      await sleep(interval, signal);
    }
  };
  const reading = read().finally(() => ended.abort());
  const reporting = report().finally(() => ended.abort());
  const results = await Promise.allSettled([reading, reporting]);
  if (tools.signal.aborted) return count;
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return count;
}

/** Returns a function that returns what is new in an observation. */
function changesOf({ apiVersion, kind }: ObjectQuery): (observed: ObservedChange) => Change[] {
  const known = new Map<string, { ref: ObjectRef; version: string | undefined }>();
  let isFirst = true;
  const refOf = ({ metadata: { name, namespace } }: KubeObject): ObjectRef => ({
    ...{ apiVersion, kind, name },
    ...(namespace !== undefined && { namespace }),
  });
  const note = (object: KubeObject): Change[] => {
    const key = keyOf(object);
    const before = known.get(key);
    const version = object.metadata.resourceVersion;
    known.set(key, { ref: refOf(object), version });
    if (before === undefined) return [{ change: isFirst ? 'present' : 'added', object }];
    return before.version === version ? [] : [{ change: 'changed', object }];
  };
  const forget = (key: string): Change[] => {
    const ref = known.get(key)?.ref;
    known.delete(key);
    return ref === undefined ? [] : [{ change: 'deleted', object: nameOnly(ref) }];
  };
  return (observed) => {
    switch (observed.type) {
      case 'changed':
        return note(observed.object);
      case 'deleted':
        return forget(keyOf(observed.object));
      case 'snapshot': {
        const present = new Set(observed.objects.map(keyOf));
        const gone = [...known.keys()].filter((key) => !present.has(key));
        const changes = [...gone.flatMap(forget), ...observed.objects.flatMap(note)];
        isFirst = false;
        return changes;
      }
    }
  };
}

function keyOf({ metadata: { name, namespace = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function nameOnly({ apiVersion, kind, name, namespace }: ObjectRef): KubeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

type Show = (changes: readonly Change[], signal: AbortSignal) => Promise<ObjectChange[]>;

/** Returns a function that returns changes as they are sent, without the secrets in them. */
function showing(context: OperationContext, { apiVersion, kind, namespace = '' }: ObjectQuery): Show {
  const { cluster } = context;
  const secrets = new LRUCache<string, Promise<KubeObject | undefined>>(secretsKept);
  const get: typeof cluster.get = (ref, signal) => {
    const key = JSON.stringify(ref);
    const found = secrets.get(key) ?? cluster.get(ref, signal);
    secrets.set(key, found);
    return found;
  };
  return async (changes, signal) => {
    const given = changes.map(({ object }) => object);
    const { ofPods } = redactionOf({ ...context, cluster: { ...cluster, get } }, [], { objects: given, namespace });
    const shown: ObjectChange[] = [];
    for (const { change, object } of changes) {
      if (change === 'deleted') {
        shown.push({ change, status: 'NotFound', object: { ...object }, omitted: true });
        continue;
      }
      const named = { ...object, apiVersion, kind };
      const status = await statusOf({ ...context, signal }, named, ofPods);
      const redacted = await redactedObject(shownObject(named), ofPods, signal);
      const isTooLarge = JSON.stringify(redacted).length > maxObjectLength;
      shown.push({
        ...{ change, ...status },
        object: { ...(isTooLarge ? nameOnly({ apiVersion, kind, ...object.metadata }) : redacted) },
        ...(isTooLarge && { omitted: true }),
      });
    }
    return shown;
  };
}

/** Number of objects in which secrets are looked for at a time. */
const chunk = 20;

/** Returns changes as they are sent, in parts that fit in a packet. */
async function* packetsOf(changes: readonly Change[], show: Show, signal: AbortSignal): AsyncGenerator<ObjectChange[]> {
  let packet: ObjectChange[] = [];
  let length = 0;
  for (let start = 0; start < changes.length; start += chunk) {
    for (const shown of await show(changes.slice(start, start + chunk), signal)) {
      const size = JSON.stringify(shown.object).length;
      if (packet.length === maxChangedObjects || (packet.length > 0 && length + size > maxObjectsLength)) {
        yield packet;
        [packet, length] = [[], 0];
      }
      packet.push(shown);
      length += size;
    }
  }
  if (packet.length > 0) yield packet;
}

export const operation = operationOf('watch_objects', {
  request: (payload) => payload,
  run: watchObjects,
  answer: (answer) => answer,
});
