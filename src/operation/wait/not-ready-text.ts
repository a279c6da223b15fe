import type { ResourceStatus } from '../progress.ts';

/** Returns Helm's message for a resource that is not ready. */
export function notReadyText({ kind, namespace = '', name, status, reason = 'not seen yet' }: ResourceStatus): string {
  return `resource ${kind}/${namespace}/${name} not ready. status: ${status}, message: ${reason}`;
}
