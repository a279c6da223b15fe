import { retry } from '../async/index.ts';
import type { Cluster, WriteOptions } from '../objects/cluster.ts';
import { causesOf, hasClusterErrorCode } from '../objects/cluster-error.ts';
import { stringAt } from '../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../objects/object.ts';

/** Pauses before a write is repeated, in milliseconds. */
const defaultPauses: readonly number[] = [250, 500, 1000, 2000, 4000];

/**
 * Returns the cluster with writes whose outcome is known. One that is cut off by a cancel or by the
 * deadline gets some time to end, so that it cannot take effect after it was undone. One whose
 * answer was lost is repeated, or, if it creates an object, looked for first; an object whose name
 * the API server chooses cannot be looked for, so it is not created again. A write that was refused
 * because others changed the object at the same moment is repeated, unless it names a version.
 * `abandon` ends all writes at once.
 */
export function certainWrites(
  cluster: Cluster,
  abandon: AbortSignal | undefined,
  pauses: readonly number[] = defaultPauses,
): Cluster {
  /**
   * Sends a write until its outcome is known. `find` returns the result of a lost attempt.
   * `canRepeat` says whether it may be sent again after an error.
   */
  async function write<Options extends WriteOptions, T>(
    options: Options | undefined,
    send: (options: Options | undefined) => Promise<T>,
    { find = () => Promise.resolve(undefined), canRepeat = isLost }: Repetition<T> = {},
  ): Promise<T> {
    const signal = options?.signal;
    return await retry(
      async (failures) => {
        const found = failures === 0 ? undefined : await find(signal);
        if (found !== undefined) return found;
        return await settledWrite(signal, abandon, (own) => send(options && own && { ...options, signal: own }));
      },
      { pauses, canRetry: (error) => signal?.aborted !== true && canRepeat(error), signal },
    );
  }

  return {
    ...cluster,
    create(object, options) {
      const find = async (signal: AbortSignal | undefined) => {
        const live = await findCreated(cluster, object, signal);
        return live !== undefined && options?.dryRun !== true && hasMetadataOf(object, live) ? live : undefined;
      };
      const canRepeat = (error: unknown) => object.metadata.name !== '' && isLost(error);
      return write(options, (own) => cluster.create(object, own), { find, canRepeat });
    },
    replace: (object, options) =>
      write(options, (own) => cluster.replace(object, own), { canRepeat: repeatable(object) }),
    apply: (object, options) =>
      write(options, (own) => cluster.apply(object, own ?? options), { canRepeat: repeatable(object) }),
    mergePatch: (ref, patch, options) =>
      write(options, (own) => cluster.mergePatch(ref, patch, own), { canRepeat: repeatable(patch) }),
    strategicMergePatch: (ref, patch, options) =>
      write(options, (own) => cluster.strategicMergePatch(ref, patch, own), { canRepeat: repeatable(patch) }),
    async delete(ref, options) {
      let attempts = 0;
      const send: Cluster['delete'] = (_, own) => {
        attempts += 1;
        return cluster.delete(ref, own);
      };
      const isDeleted = await write(options, (own) => send(ref, own), { canRepeat: isLostOrDisturbed });
      return isDeleted || attempts > 1; // an attempt whose answer was lost has deleted it
    },
  };
}

interface Repetition<T> {
  find?: (signal: AbortSignal | undefined) => Promise<T | undefined>;
  canRepeat?: (error: unknown) => boolean;
}

/** Returns whether a write with this body may be sent again after an error. */
function repeatable(body: unknown): (error: unknown) => boolean {
  // the write that was lost has changed the version
  return stringAt(body, 'metadata', 'resourceVersion') === undefined ? isLostOrDisturbed : isLost;
}

/** Whether an attempt may have succeeded although it failed. */
function isLost(error: unknown): boolean {
  return hasClusterErrorCode(error, 'unreachable', 'server_error');
}

/** Whether a write was lost, or refused because others changed the object at the same moment. */
function isLostOrDisturbed(error: unknown): boolean {
  return isLost(error) || (hasClusterErrorCode(error, 'conflict') && causesOf(error).length === 0);
}

async function findCreated(
  cluster: Cluster,
  { apiVersion, kind, metadata: { namespace, name } }: KubeObject,
  signal: AbortSignal | undefined,
): Promise<KubeObject | undefined> {
  if (name === '') return undefined;
  const ref: ObjectRef = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
  return await cluster.get(ref, signal);
}

/** Whether an object has all labels and annotations of the one that was sent. */
function hasMetadataOf({ metadata: sent }: KubeObject, { metadata: live }: KubeObject): boolean {
  const has = (wanted: Record<string, string> = {}, found: Record<string, string> = {}) =>
    Object.entries(wanted).every(([key, value]) => found[key] === value);
  return has(sent.labels, live.labels) && has(sent.annotations, live.annotations);
}

/** Time that a write gets to end after its signal has aborted, in milliseconds. */
const settlingTime = 10_000;

/**
 * Calls `send` with a signal that aborts some time after `signal`, so that a write that was sent is
 * answered, or at once after `abandon`. Throws if `signal` has aborted already.
 */
export async function settledWrite<T>(
  signal: AbortSignal | undefined,
  abandon: AbortSignal | undefined,
  send: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (signal === undefined) return await send(undefined);
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = () => late.abort(signal.reason);
  const settle = () => {
    if (abandon?.aborted === true) end();
    timer = setTimeout(end, settlingTime);
  };
  const endNow = () => late.abort(abandon?.reason);
  // a signal that removes them would cost more: its reason has a stack
  signal.addEventListener('abort', settle);
  abandon?.addEventListener('abort', endNow);
  try {
    return await send(late.signal);
  } finally {
    signal.removeEventListener('abort', settle);
    abandon?.removeEventListener('abort', endNow);
    clearTimeout(timer);
  }
}
