import { type Flag, floatFlag, integerFlag, listFlag, switchFlag, textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { HelmSettings } from './settings.ts';

const color = 'accepted, and without effect: output is not colored';

/** Returns the flags of all commands; the settings are their defaults. */
export function globalFlags(settings: HelmSettings): Flag[] {
  const text = (name: string, initial: string, usage: string) => textFlag(name, usage, { initial });
  return [
    textFlag('namespace', 'namespace of the release', { shorthand: 'n', initial: settings.namespace }),
    text('kubeconfig', '', 'kubeconfig of the cluster (default: $KUBECONFIG, or ~/.kube/config)'),
    text('kube-context', settings.kubeContext, 'context of the kubeconfig'),
    text('kube-token', settings.kubeToken, 'token for the API server'),
    text('kube-as-user', settings.kubeAsUser, 'user to impersonate'),
    listFlag('kube-as-group', 'group to impersonate; may be repeated', { initial: settings.kubeAsGroups }),
    text('kube-apiserver', settings.kubeApiServer, 'address of the API server'),
    text('kube-ca-file', settings.kubeCaFile, 'file with the CAs of the API server'),
    text(
      'kube-tls-server-name',
      settings.kubeTlsServerName,
      'name in the certificate of the API server, if it is not its host',
    ),
    switchFlag('kube-insecure-skip-tls-verify', 'do not check the certificate of the API server', {
      initial: settings.kubeInsecureSkipTlsVerify,
    }),
    switchFlag('debug', 'accepted, and without effect', { initial: settings.debug }),
    text('registry-config', settings.registryConfig, 'file with the credentials for registries'),
    text('repository-config', settings.repositoryConfig, 'file with the list of repositories'),
    text('repository-cache', settings.repositoryCache, 'folder with the indexes of repositories'),
    text('content-cache', settings.contentCache, 'folder with downloaded archives'),
    integerFlag('burst-limit', 'number of requests that may be sent at once', { initial: settings.burstLimit }),
    floatFlag('qps', 'number of requests per second to the API server', {
      initial: settings.qps,
    }),
    text('color', settings.colorMode, color),
    text('colour', settings.colorMode, color),
    textFlag('agent', 'agent that performs the command', { initial: settings.agent, isHidden: true }),
    ...klogFlags,
  ];
}

/** Returns the settings with what the global flags set. */
export function settingsOfFlags(settings: HelmSettings, flags: FlagValues): HelmSettings {
  const color = flags.isGiven('colour') ? flags.text('colour') : flags.text('color');
  return {
    ...settings,
    namespace: flags.text('namespace'),
    kubeConfig: flags.text('kubeconfig'),
    kubeContext: flags.text('kube-context'),
    kubeToken: flags.text('kube-token'),
    kubeAsUser: flags.text('kube-as-user'),
    kubeAsGroups: flags.list('kube-as-group'),
    kubeApiServer: flags.text('kube-apiserver'),
    kubeCaFile: flags.text('kube-ca-file'),
    kubeTlsServerName: flags.text('kube-tls-server-name'),
    kubeInsecureSkipTlsVerify: flags.isOn('kube-insecure-skip-tls-verify'),
    debug: flags.isOn('debug'),
    registryConfig: flags.text('registry-config'),
    repositoryConfig: flags.text('repository-config'),
    repositoryCache: flags.text('repository-cache'),
    contentCache: flags.text('content-cache'),
    burstLimit: flags.integer('burst-limit'),
    qps: flags.integer('qps'),
    colorMode: color,
    agent: flags.text('agent'),
  };
}

const switches = [
  'add-dir-header',
  'alsologtostderr',
  'legacy-stderr-threshold-behavior',
  'logtostderr',
  'one-output',
  'skip-headers',
  'skip-log-headers',
];

const texts = [
  'alsologtostderrthreshold',
  'log-backtrace-at',
  'log-dir',
  'log-file',
  'log-file-max-size',
  'stderrthreshold',
  'vmodule',
];

/** Flags of Kubernetes' logger, which Helm accepts and does not show. They have no effect here. */
const klogFlags: readonly Flag[] = [
  ...switches.map((name) => switchFlag(name, '', { isHidden: true })),
  ...texts.map((name) => textFlag(name, '', { isHidden: true })),
  textFlag('v', '', { shorthand: 'v', isHidden: true }),
];
