import { fieldAt, integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionOf } from './conditions.ts';
import { current, failed, inProgress, type Readiness, type ReadinessOptions } from './status.ts';

export function jobReadiness(object: KubeObject, { toCompletion }: ReadinessOptions): Readiness {
  const completions = integerAt(object, 'spec', 'completions') ?? integerAt(object, 'spec', 'parallelism') ?? 1;
  const succeeded = integerAt(object, 'status', 'succeeded') ?? 0;
  const failures = integerAt(object, 'status', 'failed') ?? 0;
  if (conditionOf(object, 'Complete', 'True')) {
    return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
  }
  if (conditionOf(object, 'Failed', 'True')) return failed(`Job Failed. failed: ${failures}/${completions}`);
  if (fieldAt(object, 'spec', 'suspend') === true) {
    // a hook has to run
    return toCompletion?.includes('Pod') === true ? inProgress('Job is suspended') : current('Job is suspended');
  }
  if (toCompletion?.includes('Job') === true) return inProgress('Job in progress');
  if ((stringAt(object, 'status', 'startTime') ?? '') === '') return inProgress('Job not started');
  const active = integerAt(object, 'status', 'active') ?? 0;
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}
