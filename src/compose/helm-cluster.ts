import { type KubeConfig, textAt } from '../cli/helm/kubeconfig.ts';
import type { HelmSettings } from '../cli/helm/settings.ts';
import type { Value } from '../go/value.ts';
import type { ConnectionSource } from '../kube/index.ts';
import { plainObject } from '../release/plain-value.ts';

/** Address that client-go has if nothing says another one. */
const defaultServer = 'http://localhost:8080';

/** Name of what settings alone say. */
const unnamed = 'helm';

/**
 * Returns the cluster that Helm's settings name: that of the kubeconfig with what flags and
 * environment change, or in a pod without a kubeconfig that of its service account. Throws an error
 * with Helm's text.
 */
export async function helmCluster(
  env: Readonly<Record<string, string | undefined>>,
  settings: HelmSettings,
  kubeConfig: () => Promise<KubeConfig>,
): Promise<ConnectionSource> {
  const config = await kubeConfig();
  const contextName = settings.kubeContext || config.currentContext;
  const context = config.contexts.get(contextName);
  if (context === undefined && settings.kubeContext !== '') throw new Error(`context "${contextName}" does not exist`);
  if (context === undefined && contextName !== '') {
    throw new Error(`invalid configuration: context was not found for specified context: ${contextName}`);
  }
  if (context === undefined && settings.kubeApiServer === '' && env['KUBERNETES_SERVICE_HOST'] !== undefined) {
    return 'service-account';
  }
  const clusterName = textAt(context, 'cluster');
  const userName = textAt(context, 'user');
  const cluster = mergedCluster(fieldsOf(config.clusters.get(clusterName)), settings);
  const user = { ...fieldsOf(config.users.get(userName)), ...userOverrides(settings) };
  const names = { cluster: clusterName || unnamed, user: userName || unnamed };
  const text = JSON.stringify({
    'current-context': contextName || unnamed,
    contexts: [{ name: contextName || unnamed, context: names }],
    clusters: [{ name: names.cluster, cluster }],
    users: [{ name: names.user, user }],
  });
  return { text };
}

/** Fields of a cluster that say how its server is verified. */
const verification = ['certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify'];

/** Changes a cluster by settings. Those about verification replace all that it says about that. */
function mergedCluster(cluster: Readonly<Record<string, unknown>>, settings: HelmSettings) {
  const { kubeApiServer, kubeCaFile, kubeTlsServerName, kubeInsecureSkipTlsVerify } = settings;
  const replaced = [
    ...(kubeCaFile !== '' || kubeInsecureSkipTlsVerify ? verification : []),
    ...(kubeApiServer === '' ? [] : ['tls-server-name']),
  ];
  return {
    ...Object.fromEntries(Object.entries(cluster).filter(([field]) => !replaced.includes(field))),
    ...given({
      'certificate-authority': kubeCaFile,
      'tls-server-name': kubeTlsServerName,
      'insecure-skip-tls-verify': kubeInsecureSkipTlsVerify,
    }),
    server: kubeApiServer || cluster['server'] || defaultServer,
  };
}

function userOverrides(settings: HelmSettings) {
  return given({ token: settings.kubeToken, as: settings.kubeAsUser, 'as-groups': settings.kubeAsGroups });
}

/** Returns the settings that are not empty. */
function given(fields: Readonly<Record<string, string | boolean | readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => (typeof value === 'boolean' ? value : value.length > 0)),
  );
}

function fieldsOf(fields: ReadonlyMap<string, Value> | undefined) {
  return fields === undefined ? {} : plainObject(fields);
}
