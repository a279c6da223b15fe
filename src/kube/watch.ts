import { apiPath } from '../objects/api-path.ts';
import type { ObjectQuery } from '../objects/cluster.ts';
import { isJsonObject } from '../objects/fields.ts';
import type { KubeObject, ResourceKind } from '../objects/object.ts';
import { readJsonLines } from './json-lines.ts';
import { errorOfStatusObject, KubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/**
 * One event of a watch. The object of a `BOOKMARK` has only a resourceVersion. An `ERROR` event is
 * thrown instead.
 */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: KubeObject;
}

/** Times of a watch, in milliseconds. */
export interface WatchTimes {
  /** Time after which the server ends the watch. */
  lifetime: number;
  /** Time without any event, even a bookmark, after which the connection counts as broken. */
  silence: number;
  /** The same before all present objects are sent. A silent server counts as unable to do that. */
  initialSilence: number;
}

/** The query of a watch that starts with the present objects. */
const initialEvents = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };

export const defaultWatchTimes: WatchTimes = { lifetime: 290_000, silence: 90_000, initialSilence: 10_000 };

/**
 * Reads one watch from `resourceVersion` until the server ends it, or if it is undefined, from the
 * present objects: each is `ADDED`, and a bookmark follows them ({@link endsInitialEvents}). Reads
 * only as fast as events are consumed. Fails with `gone` if that version is too old, with
 * `unreachable` if the stream breaks or stays silent, and with `invalid` or `bad_request` if the
 * server cannot start with the present objects (before Kubernetes 1.32, and 1.33).
 */
export async function* watchEvents(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  resourceVersion: string | undefined,
  signal: AbortSignal,
  times: WatchTimes = defaultWatchTimes,
): AsyncGenerator<WatchEvent, void, undefined> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let isInitial = resourceVersion === undefined;
  const silence = (): number => (isInitial ? times.initialSilence : times.silence);
  try {
    const body = await transport.stream({
      method: 'GET',
      path: apiPath(kind, { namespace: query.namespace }),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        ...(resourceVersion === undefined ? initialEvents : { resourceVersion }),
        labelSelector: query.labelSelector,
        fieldSelector: query.fieldSelector,
        timeoutSeconds: String(Math.ceil(times.lifetime / 1000)),
      },
      signal: either,
    });
    for await (const line of readJsonLines(abortingOnSilence(body, silence, stop))) {
      const event = toWatchEvent(line);
      if (endsInitialEvents(event)) isInitial = false;
      yield event;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) throw error;
    if (stop.signal.aborted) {
      const code = isInitial ? 'bad_request' : 'unreachable';
      throw new KubeError(code, `the watch of ${kind.resource} had no events for ${silence()} ms`);
    }
    throw new KubeError('unreachable', `the watch of ${kind.resource} broke: ${(error as Error).message}`, {
      cause: error,
    }); // streams and JSON.parse throw Errors only
  } finally {
    stop.abort();
  }
}

/** Whether an event says that all objects that were present at the start have been sent. */
export function endsInitialEvents({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
}

/**
 * Passes chunks through, and aborts `stop` if the next one takes longer than `silence`. The time
 * that the consumer takes does not count.
 */
async function* abortingOnSilence(
  chunks: AsyncIterable<Uint8Array>,
  silence: () => number,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  const guard = (): NodeJS.Timeout => setTimeout(() => stop.abort(), silence());
  let timer = guard();
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      yield chunk;
      timer = guard();
    }
  } finally {
    clearTimeout(timer);
  }
}

function toWatchEvent(line: unknown): WatchEvent {
  const event = line as { type: string; object: KubeObject }; // defined by the API
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      if (!isJsonObject(event.object) || !isJsonObject(event.object.metadata)) {
        throw new KubeError('server_error', `a watch event of type ${event.type} has no object`);
      }
      return { type: event.type, object: event.object };
    case 'ERROR':
      throw errorOfStatusObject(event.object);
    default:
      throw new KubeError('server_error', `unknown type of watch event: ${JSON.stringify(event.type)}`);
  }
}
