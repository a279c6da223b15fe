import type { KubeObject, ResourceKind } from '../objects/object.ts';
import { apiPath } from '../objects/api-path.ts';
import { readJsonLines } from './json-lines.ts';
import { errorOfStatusObject, KubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';
import type { ObjectQuery } from './types.ts';

/** One event of a watch as the API sends it; `BOOKMARK` carries nothing but a resourceVersion. An `ERROR` event is thrown instead. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: KubeObject;
}

/** How long a watch lives; all in milliseconds. */
export interface WatchTimes {
  /** The server ends the watch after this. */
  lifetime: number;
  /** A watch that brings nothing, not even a bookmark, for this long is given up: its connection may be half-open. */
  silence: number;
}

export const defaultWatchTimes: WatchTimes = { lifetime: 290_000, silence: 90_000 };

/**
 * Reads one watch from `resourceVersion` on, until the server ends it. Events come only as fast as they are taken.
 * Fails with `gone` where that version is too old, with `unreachable` where the stream breaks or falls silent.
 */
export async function* watchEvents(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  resourceVersion: string,
  signal: AbortSignal,
  times: WatchTimes = defaultWatchTimes,
): AsyncGenerator<WatchEvent, void, undefined> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    const body = await transport.stream({
      method: 'GET',
      path: apiPath(kind, { namespace: query.namespace }),
      query: {
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion,
        labelSelector: query.labelSelector,
        fieldSelector: query.fieldSelector,
        timeoutSeconds: String(Math.ceil(times.lifetime / 1000)),
      },
      signal: either,
    });
    for await (const event of readJsonLines(endingInSilence(body, times.silence, stop))) yield toWatchEvent(event);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) throw error;
    if (stop.signal.aborted)
      throw new KubeError('unreachable', `the watch of ${kind.resource} brought nothing for ${times.silence} ms`);
    throw new KubeError('unreachable', `the watch of ${kind.resource} broke off: ${(error as Error).message}`, {
      cause: error,
    }); // streams and JSON.parse throw Errors only
  } finally {
    stop.abort();
  }
}

/** The same chunks; aborts `stop` where one is waited for longer than `silence`. The time that the reader takes does not count. */
async function* endingInSilence(
  chunks: AsyncIterable<Uint8Array>,
  silence: number,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  const guard = (): NodeJS.Timeout => setTimeout(() => stop.abort(), silence);
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
  const event = line as { type: string; object: KubeObject }; // the form is fixed by the API
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type: event.type, object: event.object };
    case 'ERROR':
      throw errorOfStatusObject(event.object);
    default:
      throw new KubeError('server_error', `a watch event of the unknown type ${JSON.stringify(event.type)}`);
  }
}
