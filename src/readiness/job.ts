import type { KubeObject } from '../objects/object.ts';
import { conditionOf, numberAt, textAt } from './fields.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions } from './status.ts';

export function jobReadiness(object: KubeObject, { toCompletion }: ReadinessOptions): Readiness {
  const completions = numberAt(object, 'spec', 'completions') ?? numberAt(object, 'spec', 'parallelism') ?? 1;
  const succeeded = numberAt(object, 'status', 'succeeded') ?? 0;
  const failures = numberAt(object, 'status', 'failed') ?? 0;
  if (conditionOf(object, 'Complete', 'True')) {
    return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
  }
  if (conditionOf(object, 'Failed', 'True')) return failed(`Job Failed. failed: ${failures}/${completions}`);
  if (toCompletion?.includes('Job') === true) return inProgress('Job in progress');
  if ((textAt(object, 'status', 'startTime') ?? '') === '') return inProgress('Job not started');
  const active = numberAt(object, 'status', 'active') ?? 0;
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}
