import { join } from 'node:path';
import { parseDecimalInteger, parseFloat64 } from '../../go/parse-number.ts';
import { parseBool } from '../pflag/flag.ts';

/** The settings from the environment and the global flags (pkg/cli/environment.go). */
export interface HelmSettings {
  /** Namespace that is asked for, or an empty text. */
  namespace: string;
  /** Path of a kubeconfig, or an empty text. `KUBECONFIG` is not in it. */
  kubeConfig: string;
  kubeContext: string;
  kubeToken: string;
  kubeAsUser: string;
  kubeAsGroups: readonly string[];
  kubeApiServer: string;
  kubeCaFile: string;
  kubeTlsServerName: string;
  kubeInsecureSkipTlsVerify: boolean;
  debug: boolean;
  registryConfig: string;
  repositoryConfig: string;
  repositoryCache: string;
  contentCache: string;
  pluginsDirectory: string;
  maxHistory: number;
  burstLimit: number;
  qps: number;
  colorMode: string;
  /** Agent that performs commands about releases, or an empty text. */
  agent: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the settings of an environment, without flags. */
export function settingsOfEnvironment(env: Environment): HelmSettings {
  return {
    namespace: env['HELM_NAMESPACE'] ?? '',
    kubeConfig: '',
    kubeContext: env['HELM_KUBECONTEXT'] ?? '',
    kubeToken: env['HELM_KUBETOKEN'] ?? '',
    kubeAsUser: env['HELM_KUBEASUSER'] ?? '',
    kubeAsGroups: groupsOf(env['HELM_KUBEASGROUPS']),
    kubeApiServer: env['HELM_KUBEAPISERVER'] ?? '',
    kubeCaFile: env['HELM_KUBECAFILE'] ?? '',
    kubeTlsServerName: env['HELM_KUBETLS_SERVER_NAME'] ?? '',
    kubeInsecureSkipTlsVerify: parseBool(env['HELM_KUBEINSECURE_SKIP_TLS_VERIFY'] ?? '') ?? false,
    debug: parseBool(env['HELM_DEBUG'] ?? '') ?? false,
    registryConfig: env['HELM_REGISTRY_CONFIG'] ?? helmPath(env, 'config', 'registry/config.json'),
    repositoryConfig: env['HELM_REPOSITORY_CONFIG'] ?? helmPath(env, 'config', 'repositories.yaml'),
    repositoryCache: env['HELM_REPOSITORY_CACHE'] ?? helmPath(env, 'cache', 'repository'),
    contentCache: env['HELM_CONTENT_CACHE'] ?? helmPath(env, 'cache', 'content'),
    pluginsDirectory: env['HELM_PLUGINS'] ?? helmPath(env, 'data', 'plugins'),
    maxHistory: integerOf(env['HELM_MAX_HISTORY']) ?? 10,
    burstLimit: integerOf(env['HELM_BURST_LIMIT']) ?? 100,
    qps: floatOf(env['HELM_QPS']) ?? 0,
    colorMode: colorModeOf(env),
    agent: env['HELM_AGENT_AGENT'] ?? '',
  };
}

const folders = {
  cache: { helm: 'HELM_CACHE_HOME', xdg: 'XDG_CACHE_HOME', linux: '.cache', darwin: 'Library/Caches' },
  config: { helm: 'HELM_CONFIG_HOME', xdg: 'XDG_CONFIG_HOME', linux: '.config', darwin: 'Library/Preferences' },
  data: { helm: 'HELM_DATA_HOME', xdg: 'XDG_DATA_HOME', linux: '.local/share', darwin: 'Library' },
};

/** Returns the path of a file that Helm keeps for its user (pkg/helmpath). */
export function helmPath(env: Environment, kind: keyof typeof folders, ...parts: readonly string[]): string {
  const { helm, xdg, linux, darwin } = folders[kind];
  if (env[helm]) return join(env[helm], ...parts);
  const home = join(env['HOME'] ?? '', process.platform === 'darwin' ? darwin : linux);
  return join(env[xdg] || home, 'helm', ...parts);
}

/** Returns the file with the public keys that charts are verified with. */
export function defaultKeyring(env: Environment): string {
  const folder = env['GNUPGHOME'] ?? join(env['HOME'] ?? '', '.gnupg');
  return join(folder, 'pubring.gpg');
}

function groupsOf(text = ''): string[] {
  const trimmed = text.replace(/^[, ]+|[, ]+$/g, '');
  return trimmed === '' ? [] : trimmed.split(',');
}

function integerOf(text: string | undefined): number | undefined {
  const { value, error } = parseDecimalInteger(text ?? '');
  return error === undefined ? Number(value) : undefined;
}

function floatOf(text: string | undefined): number | undefined {
  const { value, error } = parseFloat64(text ?? '');
  return error === undefined ? value : undefined;
}

const colorModes = ['never', 'auto', 'always'];

function colorModeOf(env: Environment): string {
  if (env['NO_COLOR']) return 'never';
  const mode = env['HELM_COLOR']?.toLowerCase() ?? '';
  return colorModes.includes(mode) ? mode : 'auto';
}

/** Throws an error with Helm's text if the mode is unknown. */
export function requireColorMode(mode: string): void {
  if (colorModes.includes(mode)) return;
  throw new Error(`invalid color mode ${JSON.stringify(mode)}: must be one of: never, auto, always`);
}
