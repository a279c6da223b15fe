import { chartReferenceOf } from '../../policy/chart-reference.ts';
import { shownPayload } from '../../policy/conditions/shown-payload.ts';
import { operationOf, type RequestSources } from '../command-operation.ts';
import { OperationError } from '../error.ts';
import { operation as install } from '../install.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { operation as rollback } from '../rollback.ts';
import { operation as uninstall } from '../uninstall.ts';
import { operation as upgrade } from '../upgrade.ts';
import { plan, type PlannableOperation } from './plan.ts';
import type { PlanEntry } from './plan-entry.ts';

/** Number of characters of the digest in the id of a plan. */
const shortDigest = 12;

export const operation = operationOf('plan_release', {
  request: (payload, sources) => ({
    plans: sources.plans,
    operation: plannableOperation(payload, sources),
    given: givenFields(payload),
  }),
  async run(context, request) {
    const entry = await plan(context, request);
    return { entry, secret: request.plans.secretOf?.(entry.id) };
  },
  answer: ({ entry, secret }) => answerOf(entry, secret),
});

/** Returns a plan for a result. `secret` is its Secret, as `NAMESPACE/NAME`. */
export function answerOf({ id, expiresAt, content }: PlanEntry, secret: string | undefined): AnswerOf<'plan_release'> {
  const [release = '', digest = ''] = id.split('@');
  const { action, revision, base, unchanged, crds, hooks, objects, differences } = content;
  const { hookDifferences = [], crdDifferences = [], rights, chartSignature } = content;
  const metadata = content.release?.chart.metadata;
  return {
    plan: `${release}@${digest.slice(0, shortDigest)}`,
    digest,
    expires: new Date(expiresAt).toISOString(),
    action,
    ...(revision !== undefined && { revision }),
    ...(base && { base: { version: base.version, status: base.status } }),
    ...(metadata && { chart: `${metadata.name ?? ''} ${metadata.version ?? ''}` }),
    ...(chartSignature && { chartSignature: { ...chartSignature } }),
    ...(unchanged === true && { noChange: true }),
    crds: crds.map(({ name }) => name),
    hooks: hooks.map((hook) => ({ ...hook, deletePolicies: [...hook.deletePolicies] })),
    crdDifferences: [...crdDifferences],
    hookDifferences: [...hookDifferences],
    differences: [...differences],
    unchanged: objects.length - differences.length,
    ...(rights && { rights: rights.map((needed) => ({ ...needed, verbs: [...needed.verbs] })) }),
    ...(secret !== undefined && { secret }),
  };
}

/** Returns the fields of the command that is planned. A plan does not keep its password. */
function givenFields({ action: _, repoPassword, ...fields }: RequestOf<'plan_release'>): object {
  return shownPayload({ ...fields, ...(repoPassword !== undefined && { repoPassword: '' }) });
}

/** Throws `bad_payload` if the fields do not fit the action. */
function plannableOperation(
  { action, ...fields }: RequestOf<'plan_release'>,
  sources: RequestSources,
): PlannableOperation {
  switch (action) {
    case 'install':
      return { verb: action, request: { ...install.request(withChart(fields), sources), ...chartFrom(fields) } };
    case 'upgrade':
      return { verb: action, request: { ...upgrade.request(withChart(fields), sources), ...chartFrom(fields) } };
    case 'rollback':
      return { verb: action, request: rollback.request(fields, sources) };
    case 'uninstall':
      return { verb: action, request: uninstall.request(fields, sources) };
  }
}

function chartFrom(fields: object) {
  const reference = chartReferenceOf(fields);
  return reference === undefined ? {} : { chartFrom: reference };
}

function withChart<Fields extends { chartName?: string | undefined }>(fields: Fields) {
  const { chartName } = fields;
  if (chartName === undefined) throw new OperationError('bad_payload', 'chartName: is required for this action');
  return { ...fields, chartName };
}
