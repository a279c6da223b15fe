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
  { stage, base }: Pick<Cluster, 'base'> & { stage: ActiveStage },
): ClusterCommand {
  const { namespace, releaseName } = spec.payload;
  const release = { ...(namespace !== undefined && { namespace }), releaseName };
  switch (stage) {
    case 'inspecting':
    case 'reviewing':
      return { type: 'release_history', payload: { ...release, max: maxRevisions } };
    case 'updating': {
      const upgrade = spec.type === 'install_release' && { upgrade: true };
      const values = valuesOf(spec, differences[agentId] ?? []);
      return { type: spec.type, payload: { ...spec.payload, ...upgrade, ...(values.length > 0 && { values }) } };
    }
    case 'testing':
      return { type: 'test_release', payload: release };
    case 'reverting':
      if (base === null) return { type: 'uninstall_release', payload: { ...release, ignoreNotFound: true } };
      return { type: 'rollback_release', payload: { ...release, version: base } };
  }
}

/** Returns the values, and the differences that win over them. */
function valuesOf({ payload, differences }: RolloutPlan['spec'], chosen: readonly number[]): unknown[] {
  const { values } = payload;
  const common = values === undefined ? [] : Array.isArray(values) ? (values as unknown[]) : [values];
  return [...common, ...chosen.flatMap((index) => differences[index]?.values ?? [])];
}
