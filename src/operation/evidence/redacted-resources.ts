import type { ProblemCode } from '../../protocol/problem-codes.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { timeLimit } from '../time-limit.ts';
import type { Redact, Redaction } from './release-redaction.ts';

/** Default time for redacting texts, in milliseconds. */
const redactionTime = 5000;

/** Problems whose texts quote what a container or a probe has written. */
const quotingProblems: ReadonlySet<ProblemCode> = new Set([
  ...(['crash_loop', 'container_failed', 'container_not_started', 'probe_failed'] as const),
  ...(['job_failed', 'pod_failed', 'failed', 'pods_refused'] as const),
]);

const unknownReason = 'the reason is not shown, because the secrets in it are not known';

/** Whether the reason of a resource may quote what a pod has written. */
export function quotesPod({ reason, problem, status }: ResourceStatus): boolean {
  return reason !== undefined && (status === 'Failed' || (problem !== undefined && quotingProblems.has(problem.code)));
}

/** Redacts the reasons of resources. A reason whose secrets are not known is left out. */
export async function redactedResources(
  resources: readonly ResourceStatus[],
  { ofServer, ofPods }: Redaction,
  abandon?: AbortSignal,
  milliseconds = redactionTime,
): Promise<ResourceStatus[]> {
  const withReason = resources.filter(({ reason }) => reason !== undefined);
  const redacted = new Map<ResourceStatus, string>();
  for (const [redact, part] of [
    [ofPods, withReason.filter(quotesPod)],
    [ofServer, withReason.filter((resource) => !quotesPod(resource))],
  ] as const) {
    const reasons = part.map(({ reason = '' }) => reason);
    const shown = await redactedTexts(reasons, redact, abandon, milliseconds);
    for (const [index, resource] of part.entries()) redacted.set(resource, shown[index] ?? unknownReason);
  }
  return resources.map((resource) => {
    const reason = redacted.get(resource) ?? resource.reason;
    return reason === undefined || reason === resource.reason ? resource : { ...resource, reason };
  });
}

/** Returns the redacted texts, or none if their secrets are not known. */
export async function redactedTexts(
  texts: readonly string[],
  redact: Redact,
  abandon: AbortSignal | undefined,
  milliseconds = redactionTime,
): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const limit = timeLimit(milliseconds, [abandon]);
  try {
    return await redact(texts, limit.signal);
  } catch {
    return [];
  } finally {
    limit.close();
  }
}
