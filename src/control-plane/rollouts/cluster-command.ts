import type { ActiveStage, Cluster, RolloutPlan } from './rollout.ts';

export interface ClusterCommand {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Number of revisions in which the last good one is looked for. */
const maxRevisions = 20;

/** Returns the command that an agent performs in a stage. It is the same each time. */
export function clusterCommand(
  { spec, differences }: Pick<RolloutPlan, 'spec' | 'differences'>,
  agentId: string,
  { stage, base, plan }: Pick<Cluster, 'base' | 'plan'> & { stage: ActiveStage },
): ClusterCommand {
  // agents have any names, such as `constructor`
  const chosen = Object.hasOwn(differences, agentId) ? differences[agentId] : undefined;
  const { namespace, releaseName } = spec.payload;
  const release = { ...(namespace !== undefined && { namespace }), releaseName };
  switch (stage) {
    case 'inspecting':
    case 'reviewing':
      return { type: 'release_history', payload: { ...release, max: maxRevisions } };
    case 'planning': {
      const action = spec.type === 'install_release' ? 'install' : 'upgrade';
      return { type: 'plan_release', payload: { action, ...deployPayload(spec, chosen) } };
    }
    case 'updating':
      // without a plan, it is only a question of rights
      if (spec.plan) return { type: 'apply_plan', payload: { plan: plan?.id ?? anyPlan(spec) } };
      return { type: spec.type, payload: deployPayload(spec, chosen) };
    case 'testing':
      return { type: 'test_release', payload: release };
    case 'checking':
      return { type: 'run_job', payload: { ...(namespace !== undefined && { namespace }), name: spec.job ?? '' } };
    case 'reverting':
      if (base === null) return { type: 'uninstall_release', payload: { ...release, ignoreNotFound: true } };
      return { type: 'rollback_release', payload: { ...release, version: base } };
  }
}

function deployPayload(spec: RolloutPlan['spec'], chosen: readonly number[] = []): Record<string, unknown> {
  const upgrade = spec.type === 'install_release' && { upgrade: true };
  const values = valuesOf(spec, chosen);
  return { ...spec.payload, ...upgrade, ...(values.length > 0 && { values }) };
}

/** Returns the id of a plan of the release. */
function anyPlan({ payload: { namespace = 'default', releaseName } }: RolloutPlan['spec']): string {
  return `${String(namespace)}/${String(releaseName)}@${'0'.repeat(64)}`;
}

/** Returns the values, and the differences that win over them. */
function valuesOf({ payload, differences }: RolloutPlan['spec'], chosen: readonly number[]): unknown[] {
  const { values } = payload;
  const common = values === undefined ? [] : Array.isArray(values) ? (values as unknown[]) : [values];
  return [...common, ...chosen.flatMap((index) => differences[index]?.values ?? [])];
}
