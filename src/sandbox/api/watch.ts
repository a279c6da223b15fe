import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../../objects/object.ts';
import { ApiError, expired, statusObject } from '../api-error.ts';
import { apiVersionOf, collectionOf, type ResourceType } from '../store/resource-type.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import { resourceVersionProblem } from './list.ts';
import { selectedObjects, type Selection } from './selection.ts';

/** Timing of watches, in milliseconds. */
export interface WatchSettings {
  bookmarkInterval: number;
  /** Duration of a watch without `timeoutSeconds`. */
  lifetime: number;
}

/**
 * A watch with more pending lines than this is closed: its client is too slow and has to resume.
 */
const maxPendingLines = 10_000;

/** Time between the last bookmark and the end of a watch, as in the API server. */
const lastBookmarkLeadTime = 2000;

interface Line {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: unknown;
}

/**
 * Streams the changes of a collection since a revision. Without a revision, or with 0, it starts
 * with all current objects.
 */
export async function streamWatch(
  store: Store,
  type: ResourceType,
  selection: Selection,
  query: URLSearchParams,
  settings: WatchSettings,
  signal: AbortSignal,
  response: ServerResponse,
): Promise<void> {
  const from = startRevision(query.get('resourceVersion'));
  const collection = collectionOf(type);
  const lines: Line[] = [];
  let wake = (): void => undefined;
  const push = (line: Line): void => {
    lines.push(line);
    wake();
  };
  const bookmark = (): void => push({ type: 'BOOKMARK', object: bookmarkObject(type, store.revision()) });

  lines.push(...firstLines(store, type, selection, from, query.get('sendInitialEvents') === 'true'));

  const lifetime = Number(query.get('timeoutSeconds') ?? 0) * 1000 || settings.lifetime;
  const end = new AbortController();
  const unsubscribe = store.subscribe((event) => {
    if (event.collection === collection) for (const line of linesOf(event, selection)) push(line);
    if (lines.length > maxPendingLines) end.abort();
  });
  const bookmarks = query.get('allowWatchBookmarks') === 'true';
  const timers = [
    setTimeout(() => end.abort(), lifetime),
    ...(bookmarks ? [setInterval(bookmark, settings.bookmarkInterval)] : []),
    ...(bookmarks && lifetime > lastBookmarkLeadTime ? [setTimeout(bookmark, lifetime - lastBookmarkLeadTime)] : []),
  ];
  const stopped = AbortSignal.any([signal, end.signal]);
  stopped.addEventListener('abort', () => wake());
  try {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    while (!stopped.aborted) {
      const line = lines.shift();
      if (line === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else {
        const written = response.write(`${JSON.stringify(inVersion(type, line))}\n`);
        if (line.type === 'ERROR') break;
        if (!written) await once(response, 'drain', { signal: stopped });
      }
    }
  } catch (error) {
    if (!stopped.aborted) throw error;
  } finally {
    unsubscribe();
    for (const timer of timers) clearTimeout(timer);
    response.end();
  }
}

/** Returns the first lines of a watch: all current objects, or the changes since its revision. */
function firstLines(
  store: Store,
  type: ResourceType,
  selection: Selection,
  from: number,
  initialEvents: boolean,
): Line[] {
  if (from === 0 || initialEvents) {
    const added = selectedObjects(store, type, selection).map((object): Line => ({ type: 'ADDED', object }));
    const end = bookmarkObject(type, store.revision(), { 'k8s.io/initial-events-end': 'true' });
    return initialEvents ? [...added, { type: 'BOOKMARK', object: end }] : added;
  }
  const missed = store.since(collectionOf(type), from);
  if (missed) return missed.flatMap((event) => linesOf(event, selection));
  const tooOld = expired(`too old resource version: ${from} (${store.oldest()})`);
  return [{ type: 'ERROR', object: statusObject(tooOld) }];
}

function startRevision(text: string | null): number {
  if (text === null || text === '') return 0;
  if (!/^\d+$/.test(text)) throw new ApiError(500, '', resourceVersionProblem(text));
  return Number(text);
}

/**
 * Returns the lines for a change in a watch with selectors: an object that starts to match is
 * added, one that stops matching is deleted.
 */
function linesOf(event: StoreEvent, selection: Selection): Line[] {
  const was = event.previous !== undefined && selection.matches(event.previous);
  const is = event.type !== 'DELETED' && selection.matches(event.object);
  if (!was && !is) return [];
  if (!was) return [{ type: 'ADDED', object: event.object }];
  return [
    { type: is ? 'MODIFIED' : 'DELETED', object: event.type === 'DELETED' || is ? event.object : withVersionOf(event) },
  ];
}

/** Returns the last object that matched, with the version of the change that removed it. */
function withVersionOf({ previous, object }: StoreEvent): KubeObject {
  const last = previous ?? object;
  return { ...last, metadata: { ...last.metadata, resourceVersion: object.metadata.resourceVersion ?? '' } };
}

function bookmarkObject(type: ResourceType, revision: number, annotations?: Record<string, string>): unknown {
  const metadata = { resourceVersion: String(revision), creationTimestamp: null, ...(annotations && { annotations }) };
  return { kind: type.kind, apiVersion: apiVersionOf(type), metadata };
}

function inVersion(type: ResourceType, line: Line): Line {
  if (line.type === 'ERROR') return line;
  // All other lines have objects.
  return { type: line.type, object: { ...(line.object as KubeObject), apiVersion: apiVersionOf(type) } };
}
