import type { ValueWarning } from '../../render/notice.ts';
import type { Command } from '../cobra/command.ts';
import { execute } from '../cobra/execute.ts';
import { helmLog } from '../helm-log.ts';
import type { FlagValue } from '../pflag/flag.ts';
import { flagValues } from '../pflag/flag-values.ts';
import { parseFlags } from '../pflag/parse-flags.ts';
import { type VerbEntry, verbs as allVerbs } from '../verb/index.ts';
import { commandsFor } from './commands.ts';
import type { HelmContext, HelmDependencies, ProgramName } from './context.ts';
import { globalFlags, settingsOfFlags } from './global-flags.ts';
import type { KubeConfig } from './kubeconfig.ts';
import { type HelmSettings, requireColorMode, settingsOfEnvironment } from './settings.ts';

/**
 * Runs a command of helm with its arguments. Resolves to the exit code.
 *
 * @param options.name the program that texts name. As `helm-agent`, it lists the flags that helm
 * lacks, and explains mistakes in more words than helm. Default: `helm`.
 * @param options.verbs the verbs of the table of commands. Default: those of helm-agent.
 */
export async function runHelm(
  args: readonly string[],
  dependencies: HelmDependencies,
  { name = 'helm', verbs = allVerbs }: { name?: ProgramName; verbs?: readonly VerbEntry[] } = {},
): Promise<number> {
  const { env, stdout, stderr } = dependencies;
  const log = helmLog((line) => stderr.write(line));
  const settings = settingsOfEnvironment(env);
  const flags = globalFlags(settings);
  const early = earlySettings(settings, args);
  try {
    requireColorMode(early.colorMode);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn('command failed', { error: error.message });
    return 1;
  }
  const subcommands = commandsFor(args, verbs);
  const root: Command<HelmContext> = { use: name, long: rootHelp, persistentFlags: flags, subcommands };
  return execute(
    {
      name,
      root,
      explainsMistakes: name === 'helm-agent',
      contextOf(given): HelmContext {
        const current = given === undefined ? early : settingsOfFlags(settings, given);
        let reading: Promise<KubeConfig> | undefined;
        const kubeConfig = () =>
          (reading ??= import('./kubeconfig.ts').then((file) => file.readKubeConfig(current, env)));
        const logValueWarning = ({ message, attributes }: ValueWarning) => log.warn(message, attributes);
        return {
          ...dependencies,
          programName: name,
          log,
          settings: current,
          agent: current.agent || undefined,
          kubeConfig,
          async openReleases() {
            if (current.agent === '') return dependencies.openReleases(current, kubeConfig, logValueWarning);
            return (await import('./release/open-agent-releases.ts')).openAgentReleases(current, given, dependencies);
          },
          listNamespaces: () => dependencies.listNamespaces(current, kubeConfig),
          namespace: async () => (await import('./kube-namespace.ts')).releaseNamespace(current, kubeConfig),
        };
      },
      stdout: (text) => stdout.write(text),
      stderr: (text) => stderr.write(text),
      columns: stdout.isTerminal ? stdout.columns : undefined,
    },
    args,
  );
}

/**
 * Returns the settings before it is known which command the arguments call: global flags among
 * others count, up to the first error.
 */
function earlySettings(settings: HelmSettings, args: readonly string[]): HelmSettings {
  const flags = globalFlags(settings);
  const given = new Map<string, FlagValue>();
  try {
    parseFlags(flags, args, { ignoreUnknown: true, onFlag: (name, value) => void given.set(name, value) });
  } catch (error) {
    if (!(error instanceof Error)) throw error; // the same error is found again when the command is known
  }
  return settingsOfFlags(settings, flagValues(flags, given));
}

/** The help of `helm` without a command. */
const rootHelp = `Commands of Helm, with Helm's arguments and output, run by helm-agent.

Charts: search, pull, show, template, lint, package, push, dependency
Releases: install, upgrade, rollback, uninstall, test, list, status, history, get

Releases are those of the cluster of a kubeconfig, or of the cluster of an agent:

  HELM_AGENT_AGENT, HELM_AGENT_SERVER, HELM_AGENT_TOKEN_FILE   agent and control plane

Other variables:

  HELM_NAMESPACE, HELM_DRIVER            namespace; secret or configmap, for releases
  HELM_MAX_HISTORY                       number of revisions that an upgrade keeps
  KUBECONFIG, HELM_KUBECONTEXT           cluster
  HELM_KUBEAPISERVER, HELM_KUBETOKEN,    connection to the cluster
  HELM_KUBECAFILE, HELM_KUBEASUSER,
  HELM_KUBEASGROUPS,
  HELM_KUBETLS_SERVER_NAME,
  HELM_KUBEINSECURE_SKIP_TLS_VERIFY,
  HELM_BURST_LIMIT, HELM_QPS
  HELM_CONFIG_HOME, HELM_CACHE_HOME,     folders of Helm's files; then those of XDG, then
  HELM_DATA_HOME                         ~/.config/helm, ~/.cache/helm, ~/.local/share/helm
  HELM_REPOSITORY_CONFIG,                single files and folders; "helm env" prints them
  HELM_REPOSITORY_CACHE,
  HELM_REGISTRY_CONFIG
`;
