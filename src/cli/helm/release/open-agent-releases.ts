import { controlPlaneClient } from '../../ctl/control-plane-client.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmDependencies } from '../context.ts';
import type { HelmSettings } from '../settings.ts';
import { agentReleases } from './agent-releases.ts';
import type { Releases } from './releases.ts';

/** Flags for the cluster, which an agent has its own. */
const clusterFlags = [
  'kubeconfig',
  'kube-context',
  'kube-token',
  'kube-as-user',
  'kube-as-group',
  'kube-apiserver',
  'kube-ca-file',
  'kube-tls-server-name',
  'kube-insecure-skip-tls-verify',
];

/** Opens the releases of the agent that the settings name. Refuses flags for another cluster. */
export async function openAgentReleases(
  { agent }: HelmSettings,
  flags: FlagValues | undefined,
  dependencies: HelmDependencies,
): Promise<Releases> {
  const given = clusterFlags.find((name) => flags?.isGiven(name));
  if (given !== undefined) {
    throw new Error(
      `--${given} does not apply to agent ${agent}, which has its own cluster; leave it or the agent out`,
    );
  }
  return agentReleases(await controlPlaneClient({}, dependencies), agent, dependencies.table);
}
