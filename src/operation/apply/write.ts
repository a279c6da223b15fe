import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors/index.ts';
import { causesOf, hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { type FieldProblem, OperationError, withMessage } from '../error.ts';
import type { ReleaseObject } from './release-object.ts';
import type { StrategyTools } from './strategy.ts';

/** Helm's name as owner of fields. */
export const fieldManager = 'helm';

/** Pauses before a write is repeated, in milliseconds. The last one is used again and again. */
const pauses = [250, 500, 1000, 2000, 5000];

/**
 * Sends a write, and repeats it until the deadline if a ResourceQuota changed at the same time, or
 * if an admission webhook is not reachable yet. Helm gives up after five attempts, and at once for
 * a webhook.
 */
export async function send<T>(
  item: ReleaseObject,
  { signal, report }: Pick<StrategyTools, 'signal' | 'report'>,
  write: () => Promise<T>,
): Promise<T> {
  let reported = '';
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      signal.throwIfAborted();
      if (!hasClusterErrorCode(error, 'quota_conflict', 'webhook_unavailable')) throw error;
      const message = `${describe(item)} is not accepted yet: ${messageOf(error)}`;
      if (message !== reported) report({ message: `${message}; trying again` });
      reported = message;
      await pause(pauses[Math.min(attempt, pauses.length - 1)] ?? 0, signal, message);
    }
  }
}

async function pause(milliseconds: number, signal: AbortSignal, message: string): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw withMessage(signal.reason, `${messageOf(signal.reason)}: ${message}`);
  }
}

/**
 * Throws the error of a write, or the reason, if the operation ends. An error of {@link send} says
 * what it was waiting for.
 */
export function throwIfEnded(error: unknown, signal: AbortSignal): void {
  if (signal.aborted && error instanceof OperationError) throw error;
  signal.throwIfAborted();
}

/**
 * Returns the error for an object that the API server refuses, with the fields that it names:
 * `conflict` if it is another object than the one that was read, or if other managers own fields,
 * and else `apply_failed`.
 */
export function refusal(prefix: string, { ref }: ReleaseObject, cause: unknown): OperationError {
  const causes = causesOf(cause);
  const isOtherObject = causes.some(({ field }) => field === 'metadata.uid');
  const code = isOtherObject || hasClusterErrorCode(cause, 'conflict') ? 'conflict' : 'apply_failed';
  const { apiVersion, kind, namespace, name } = ref;
  const problems = causes.map(({ field, message, manager }): FieldProblem => ({
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    field,
    message,
    ...(manager !== undefined && { manager }),
  }));
  const separator = prefix === '' ? '' : ': ';
  return new OperationError(code, `${prefix}${separator}${messageOf(cause)}`, { cause, problems });
}

/** Whether another field manager owns fields with other values. */
export function isFieldConflict(error: unknown): boolean {
  return error instanceof OperationError && error.problems.some(({ manager }) => manager !== undefined);
}

/**
 * Formats an object as Go does: `team/web apps/v1, Kind=Deployment`, or with `/v1` for the core
 * group.
 */
export function describe({ ref: { apiVersion, kind, namespace = '', name } }: ReleaseObject): string {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${namespace}/${name} ${groupVersion}, Kind=${kind}`;
}
