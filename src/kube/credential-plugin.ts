import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { Cluster } from '@kubernetes/client-node';
import { readUpTo } from '../async/index.ts';
import { isMissing, messageOf } from '../errors/index.ts';
import { fieldAt, listAt, objectsAt, stringAt } from '../objects/fields.ts';
import { KubeError } from './kube-error.ts';

/** A program that prints credentials: the field `exec` of a user of a kubeconfig. */
export interface ExecPlugin {
  apiVersion: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `Never`, `IfAvailable` or `Always`. */
  interactiveMode: string;
  installHint: string;
  /** Whether the plugin gets what the kubeconfig says about the cluster. */
  provideClusterInfo: boolean;
}

export type Credentials = Pick<RequestOptions, 'cert' | 'key' | 'headers'>;

/** The credentials of a plugin, which runs again when they have expired. */
export interface PluginCredentials {
  /**
   * Rejects with `unreachable` and the text of client-go (plugin/pkg/client/auth/exec) if there are
   * none: no request can be sent without them. What the plugin prints is in no error.
   */
  read(): Promise<Credentials>;
  /** Forgets credentials that the API server has rejected, so that the plugin runs again. */
  forget(rejected: Credentials): void;
}

/** Most bytes that a plugin may print. Credentials with certificates have a few KiB. */
const maxOutputBytes = 1024 * 1024;

export function readExecPlugin(exec: unknown): ExecPlugin {
  const apiVersion = stringAt(exec, 'apiVersion') ?? '';
  const defaultMode = /\/v1(?:alpha|beta)1$/.test(apiVersion) ? 'IfAvailable' : '';
  const variables = objectsAt(exec, 'env').map(({ name, value }) => [String(name), String(value)]);
  return {
    apiVersion,
    command: stringAt(exec, 'command') ?? '',
    args: listAt(exec, 'args').map(String),
    env: Object.fromEntries(variables) as Record<string, string>, // of pairs of texts
    interactiveMode: stringAt(exec, 'interactiveMode') || defaultMode,
    installHint: stringAt(exec, 'installHint') ?? '',
    provideClusterInfo: fieldAt(exec, 'provideClusterInfo') === true,
  };
}

/** Returns what a plugin can get about a cluster, as in client-go (rest/exec.go). */
function clusterInfo({ server, tlsServerName, skipTLSVerify, caData, caFile, proxyUrl }: Cluster, fields: unknown) {
  const ca = caData ? Buffer.from(caData, 'base64') : caFile ? readFileSync(caFile) : undefined;
  const extension = objectsAt(fields, 'extensions').find(({ name }) => name === 'client.authentication.k8s.io/exec');
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(ca && { 'certificate-authority-data': ca.toString('base64') }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(fieldAt(fields, 'disable-compression') === true && { 'disable-compression': true }),
    config: extension?.['extension'] ?? null,
  };
}

/** `fields` are those of the cluster in the kubeconfig. */
export function pluginCredentials(
  plugin: ExecPlugin,
  cluster: Cluster,
  fields: unknown,
  now = () => new Date(),
): PluginCredentials {
  const info = plugin.provideClusterInfo ? clusterInfo(cluster, fields) : undefined;
  let last: { credentials: Credentials; expires: number } | undefined;
  let running: Promise<Credentials> | undefined;
  const run = async () => {
    try {
      const status = statusOf(plugin, await outputOf(plugin, info));
      last = { credentials: credentialsOf(status), expires: Date.parse(status.expirationTimestamp ?? '') };
      return last.credentials;
    } finally {
      running = undefined;
    }
  };
  return {
    async read() {
      // the time is NaN if the credentials do not expire
      if (last !== undefined && !(last.expires <= now().getTime())) return last.credentials;
      return await (running ??= run());
    },
    forget(rejected) {
      if (last?.credentials === rejected) last = undefined;
    },
  };
}

/** Runs a plugin. Its errors, and what it asks for, go to the terminal. */
async function outputOf(plugin: ExecPlugin, cluster: object | undefined): Promise<string> {
  const { apiVersion, command, args, env, interactiveMode, installHint } = plugin;
  const interactive = interactiveMode !== 'Never' && process.stdin.isTTY;
  if (interactiveMode === 'Always' && !interactive) {
    throw failure('exec plugin cannot support interactive mode: standard input is not a terminal');
  }
  const info = { kind: 'ExecCredential', apiVersion, spec: { ...(cluster && { cluster }), interactive } };
  // eslint-disable-next-line no-restricted-properties -- plugins have that of the process
  const inherited = process.env;
  const child = spawn(command, args, {
    env: { ...inherited, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('close', (code) => resolve(code ?? -1));
    child.once('error', (error) =>
      reject(failure(isMissing(error) ? notFound(command, installHint) : `exec: ${messageOf(error)}`)),
    );
  });
  const read = async () => {
    const output = await readUpTo(child.stdout, maxOutputBytes);
    if (!output.isWhole) child.kill('SIGKILL');
    return output;
  };
  const [code, { content, isWhole }] = await Promise.all([ended, read()]);
  if (!isWhole) throw failure(`exec: executable ${command} printed more than ${maxOutputBytes} bytes`);
  if (code !== 0) throw failure(`exec: executable ${command} failed with exit code ${code}`);
  return content.toString();
}

function notFound(command: string, installHint: string): string {
  const help = `It looks like you are trying to use a client-go credential plugin that is not installed.

To learn more about this feature, consult the documentation available at:
      https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins`;
  const hint = installHint.replaceAll(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return [`exec: executable ${command} not found`, help, ...(hint === '' ? [] : [hint])].join('\n\n');
}

interface PluginStatus {
  token: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  expirationTimestamp: string | undefined;
}

function statusOf({ apiVersion }: ExecPlugin, output: string): PluginStatus {
  const answer = parsed(output);
  const version = stringAt(answer, 'apiVersion');
  if (version !== apiVersion) {
    throw failure(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned ${version === undefined ? 'none' : 'another one'}`,
    );
  }
  const at = (field: string) => stringAt(answer, 'status', field) || undefined;
  const cert = at('clientCertificateData');
  const key = at('clientKeyData');
  const token = at('token');
  if (token === undefined && cert === undefined && key === undefined) {
    throw failure("exec plugin didn't return a token or cert/key pair");
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw failure('exec plugin returned only certificate or key, not both');
  }
  return { token, cert, key, expirationTimestamp: at('expirationTimestamp') };
}

function credentialsOf({ token, cert, key }: PluginStatus): Credentials {
  return {
    ...(cert !== undefined && key !== undefined && { cert, key }),
    ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
  };
}

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    throw failure('decoding stdout: the plugin did not print JSON'); // the reason quotes what it printed
  }
}

function failure(reason: string): KubeError {
  return new KubeError('unreachable', `getting credentials: ${reason}`);
}
