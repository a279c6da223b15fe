import { OperationError } from '../../operation/error.ts';
import { plan, type PlannableOperation } from '../../operation/plan/plan.ts';
import type { CommandPayloads } from '../../protocol/commands/index.ts';
import { installRelease } from './install-release.ts';
import { performance, type RequestDependencies } from './performance.ts';
import { rollbackRelease } from './rollback-release.ts';
import { uninstallRelease } from './uninstall-release.ts';
import { upgradeRelease } from './upgrade-release.ts';

/** Number of characters of the digest in the id of a plan. */
const shortDigest = 12;

export const planRelease = performance('plan_release', {
  request: (payload, dependencies) => ({
    plans: dependencies.plans,
    operation: operationOf(payload, dependencies),
  }),
  operation: plan,
  answer({ id, expiresAt, content }) {
    const [release = '', digest = ''] = id.split('@');
    const { action, revision, base, unchanged, crds, hooks, objects, differences } = content;
    const metadata = content.release?.chart.metadata;
    return {
      plan: `${release}@${digest.slice(0, shortDigest)}`,
      digest,
      expires: new Date(expiresAt).toISOString(),
      action,
      ...(revision !== undefined && { revision }),
      ...(base && { base: { version: base.version, status: base.status } }),
      ...(metadata && { chart: `${metadata.name ?? ''} ${metadata.version ?? ''}` }),
      ...(unchanged === true && { noChange: true }),
      crds: crds.map(({ name }) => name),
      hooks: hooks.map((hook) => ({ ...hook, deletePolicies: [...hook.deletePolicies] })),
      differences: [...differences],
      unchanged: objects.length - differences.length,
    };
  },
});

/** Throws `bad_payload` if the fields do not fit the action. */
function operationOf(
  { action, ...fields }: CommandPayloads['plan_release'],
  dependencies: RequestDependencies,
): PlannableOperation {
  switch (action) {
    case 'install':
      return { verb: action, request: installRelease.request(withChart(fields), dependencies) };
    case 'upgrade':
      return { verb: action, request: upgradeRelease.request(withChart(fields), dependencies) };
    case 'rollback':
      return { verb: action, request: rollbackRelease.request(fields, dependencies) };
    case 'uninstall':
      return { verb: action, request: uninstallRelease.request(fields, dependencies) };
  }
}

function withChart<Fields extends { chartName?: string | undefined }>(fields: Fields) {
  const { chartName } = fields;
  if (chartName === undefined) throw new OperationError('bad_payload', 'chartName: is required for this action');
  return { ...fields, chartName };
}
