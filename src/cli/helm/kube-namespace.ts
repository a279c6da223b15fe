import { type KubeConfig, textAt } from './kubeconfig.ts';
import type { HelmSettings } from './settings.ts';

/**
 * Returns the namespace of the release: that of the flag or the environment; without one, that of
 * the context in the kubeconfig; without one, `default`.
 */
export async function releaseNamespace(settings: HelmSettings, kubeConfig: () => Promise<KubeConfig>): Promise<string> {
  if (settings.namespace !== '') return settings.namespace;
  // the kubeconfig is not that of the agent's cluster
  if (settings.agent !== '') return 'default';
  // as in Helm, a kubeconfig that cannot be read has no namespace
  const config = await kubeConfig().catch((): KubeConfig | undefined => undefined);
  const context = config?.contexts.get(settings.kubeContext || config.currentContext);
  return textAt(context, 'namespace') || 'default';
}
