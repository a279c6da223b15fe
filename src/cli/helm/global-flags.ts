import { floatFlag, integerFlag, listFlag, switchFlag, textFlag, type Flag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { klogFlags } from './klog-flags.ts';
import type { HelmSettings } from './settings.ts';

const namespace = 'namespace scope for this request';
const asGroup = 'group to impersonate for the operation, this flag can be repeated to specify multiple groups.';
const serverName =
  'server name to use for Kubernetes API server certificate validation. If it is not provided, the hostname used to contact the server is used';
const insecure =
  "if true, the Kubernetes API server's certificate will not be checked for validity. This will make your HTTPS connections insecure";
const color = 'use colored output (never, auto, always)';

/** Returns the flags of all commands; the settings are their defaults. */
export function globalFlags(settings: HelmSettings): Flag[] {
  const text = (name: string, initial: string, usage: string) => textFlag(name, usage, { initial });
  return [
    textFlag('namespace', namespace, { shorthand: 'n', initial: settings.namespace }),
    text('kubeconfig', '', 'path to the kubeconfig file'),
    text('kube-context', settings.kubeContext, 'name of the kubeconfig context to use'),
    text('kube-token', settings.kubeToken, 'bearer token used for authentication'),
    text('kube-as-user', settings.kubeAsUser, 'username to impersonate for the operation'),
    listFlag('kube-as-group', asGroup, { initial: settings.kubeAsGroups }),
    text('kube-apiserver', settings.kubeApiServer, 'the address and the port for the Kubernetes API server'),
    text(
      'kube-ca-file',
      settings.kubeCaFile,
      'the certificate authority file for the Kubernetes API server connection',
    ),
    text('kube-tls-server-name', settings.kubeTlsServerName, serverName),
    switchFlag('kube-insecure-skip-tls-verify', insecure, { initial: settings.kubeInsecureSkipTlsVerify }),
    switchFlag('debug', 'enable verbose output', { initial: settings.debug }),
    text('registry-config', settings.registryConfig, 'path to the registry config file'),
    text('repository-config', settings.repositoryConfig, 'path to the file containing repository names and URLs'),
    text('repository-cache', settings.repositoryCache, 'path to the directory containing cached repository indexes'),
    text('content-cache', settings.contentCache, 'path to the directory containing cached content (e.g. charts)'),
    integerFlag('burst-limit', 'client-side default throttling limit', { initial: settings.burstLimit }),
    floatFlag('qps', 'queries per second used when communicating with the Kubernetes API, not including bursting', {
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
