import type { Drift } from '../../protocol/drift.ts';
import { forEach } from '../apply/concurrency.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { redactedDrift } from '../evidence/redacted-drift.ts';
import { redactionOf } from '../evidence/release-redaction.ts';
import type { RequestOf } from '../request.ts';
import { withSteps } from '../template.ts';
import { readBaseline } from './baseline.ts';
import { compareObject } from './compare-object.ts';
import { readIgnoreRules } from './ignored-fields.ts';

/** The difference between the newest revision of a release and the cluster. */
export interface ReleaseDrift {
  revision: number;
  /** In the order of the manifest. */
  drift: Drift[];
  /** Number of objects that are as the release has them. */
  unchanged: number;
  /** Why the objects could not be compared at the end. */
  uncompared?: { code: string; message: string };
}

/** Compares the objects of a release with those in the cluster, as `readBaseline` may throw. */
export async function driftRelease(
  context: OperationContext,
  request: RequestOf<'drift_release'>,
): Promise<ReleaseDrift> {
  const rules = readIgnoreRules(request.ignore);
  return await withSteps(context, request, async (runner) =>
    runner.step('check', async (tools) => {
      const baseline = await readBaseline(context, request, tools.signal);
      const redaction = redactionOf(context, [baseline.revision.release]);
      const compared = await forEach(baseline.objects, async (item) => {
        const { drift } = await compareObject(item, baseline, rules, { ...tools, cluster: context.cluster });
        return drift && (await redactedDrift(drift, redaction, context.abandon));
      });
      const drift = compared.filter((found) => found !== undefined);
      tools.done(`${drift.length} of ${compared.length} objects differ`);
      return { revision: baseline.version, drift, unchanged: compared.length - drift.length };
    }),
  );
}

export const operation = operationOf('drift_release', {
  request: (payload) => payload,
  run: driftRelease,
  answer: (answer) => answer,
});
