import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';
import { helmPath } from '../settings.ts';

/** `helm env` (pkg/cmd/env.go) */
export const envCommand: Command<HelmContext> = {
  use: 'env',
  long: 'Print the variables and folders that commands use.',
  examples: ['', 'HELM_REPOSITORY_CONFIG'],
  checkArguments: argumentCount('at most', 1),
  async run({ args: [name], context }) {
    const variables = await variablesOf(context);
    const text =
      name === undefined
        ? [...variables].map(([key, value]) => `${key}="${value}"\n`).join('')
        : `${variables.get(name) ?? ''}\n`;
    context.stdout.write(text);
  },
};

/** Returns the variables by name, sorted (pkg/cli/environment.go: EnvVars). */
async function variablesOf(context: HelmContext): Promise<ReadonlyMap<string, string>> {
  const { settings, env } = context;
  return new Map([
    ['HELM_BIN', env['HELM_BIN'] ?? 'helm'],
    ['HELM_BURST_LIMIT', String(settings.burstLimit)],
    ['HELM_CACHE_HOME', helmPath(env, 'cache')],
    ['HELM_CONFIG_HOME', helmPath(env, 'config')],
    ['HELM_CONTENT_CACHE', settings.contentCache],
    ['HELM_DATA_HOME', helmPath(env, 'data')],
    ['HELM_DEBUG', String(settings.debug)],
    ['HELM_KUBEAPISERVER', settings.kubeApiServer],
    ['HELM_KUBEASGROUPS', settings.kubeAsGroups.join(',')],
    ['HELM_KUBEASUSER', settings.kubeAsUser],
    ['HELM_KUBECAFILE', settings.kubeCaFile],
    ['HELM_KUBECONTEXT', settings.kubeContext],
    ['HELM_KUBEINSECURE_SKIP_TLS_VERIFY', String(settings.kubeInsecureSkipTlsVerify)],
    ['HELM_KUBETLS_SERVER_NAME', settings.kubeTlsServerName],
    ['HELM_KUBETOKEN', settings.kubeToken],
    ['HELM_MAX_HISTORY', String(settings.maxHistory)],
    ['HELM_NAMESPACE', await context.namespace()],
    ['HELM_PLUGINS', settings.pluginsDirectory],
    ['HELM_QPS', settings.qps.toFixed(2)],
    ['HELM_REGISTRY_CONFIG', settings.registryConfig],
    ['HELM_REPOSITORY_CACHE', settings.repositoryCache],
    ['HELM_REPOSITORY_CONFIG', settings.repositoryConfig],
    ...(settings.kubeConfig === '' ? [] : [['KUBECONFIG', settings.kubeConfig] as const]),
  ]);
}
