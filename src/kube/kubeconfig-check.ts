import { X509Certificate } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { messageOf } from '../errors/index.ts';
import { openError } from '../go/file-error.ts';
import { fieldAt, stringAt } from '../objects/fields.ts';
import { isWithoutUser } from './impersonation.ts';
import type { UserFields } from './kubeconfig-files.ts';

/**
 * Throws an error if client-go refuses the current context of a kubeconfig, with its texts
 * (tools/clientcmd/validation.go, transport/transport.go): requests would have other rights, or be
 * sent to a server that is not verified, although the kubeconfig says otherwise.
 */
export function requireUsable(config: KubeConfig, fields: UserFields | undefined): void {
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  const problems = [
    ...contextProblems(config),
    ...(user === null ? [] : userProblems(user, fields)),
    ...(cluster === null ? [] : clusterProblems(cluster)),
  ];
  if (problems.length > 0) {
    const text = problems.length > 1 ? `[${problems.join(', ')}]` : problems.join('');
    throw new Error(`invalid configuration: ${text}`);
  }
  // as in client-go, certificates and plugins do not count without TLS
  if (cluster === null || !/^https:/i.test(cluster.server)) return;
  if (user !== null) requirePlugin(user, fields);
  requireAuthority(cluster);
}

function* contextProblems(config: KubeConfig): Generator<string> {
  const name = config.getCurrentContext();
  if (name && config.getContextObject(name) === null) yield `context was not found for specified context: ${name}`;
}

function* userProblems(user: User, fields: UserFields | undefined): Generator<string> {
  const { name, certData, certFile, keyData, keyFile, token, username, password } = user;
  if (certData || certFile) {
    if (certData && certFile) {
      yield `client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`;
    }
    if (keyData && keyFile) {
      yield `client-key-data and client-key are both specified for ${name}; client-key-data will override`;
    }
    if (!keyData && !keyFile) {
      yield `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`;
    }
    yield* unreadable('client-cert', certFile, name);
    yield* unreadable('client-key', keyFile, name);
    yield* undecodable('client-certificate-data', certData, name);
    yield* undecodable('client-key-data', keyData, name);
  }
  yield* pluginProblems(user, fields);
  const methods = [...(token ? ['token'] : []), ...(username || password ? ['basicAuth'] : [])];
  if (methods.length > 1) {
    yield `more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`;
  }
  if (fields && isWithoutUser(fields.impersonation)) {
    yield `requesting uid, groups or user-extra for ${name} without impersonating a user`;
  }
}

function* pluginProblems({ name, authProvider }: User, fields: UserFields | undefined): Generator<string> {
  const plugin = fields?.plugin;
  if (plugin === undefined) return;
  if (authProvider) yield `authProvider cannot be provided in combination with an exec plugin for ${name}`;
  const purpose = `must be specified for ${name} to use exec authentication plugin`;
  if (plugin.command === '') yield `command ${purpose}`;
  if (plugin.apiVersion === '') yield `apiVersion ${purpose}`;
  if (plugin.interactiveMode === '') yield `interactiveMode ${purpose}`;
  else if (!['Never', 'IfAvailable', 'Always'].includes(plugin.interactiveMode)) {
    yield `invalid interactiveMode for ${name}: ${JSON.stringify(plugin.interactiveMode)}`;
  }
}

function* clusterProblems({ name, caData, caFile }: Cluster): Generator<string> {
  if (caData && caFile) {
    yield `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`;
  }
  yield* unreadable('certificate-authority', caFile, name);
  yield* undecodable('certificate-authority-data', caData, name);
}

function* unreadable(field: string, path: string | undefined, name: string): Generator<string> {
  if (!path) return;
  try {
    closeSync(openSync(path, 'r'));
  } catch (error) {
    yield `unable to read ${field} ${path} for ${name} due to ${messageOf(openError(path, error))}`;
  }
}

function* undecodable(field: string, data: string | undefined, name: string): Generator<string> {
  const text = data?.replaceAll(/[\r\n]/g, '') ?? '';
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return;
  yield `${field} for ${name} is not base64`;
}

/** Texts of client-go about plugins that it has no more. */
const removedPlugins: Readonly<Record<string, string>> = {
  gcp: `The gcp auth plugin has been removed.
Please use the "gke-gcloud-auth-plugin" kubectl/client-go credential plugin instead.
See https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke for further details`,
  azure: `The azure auth plugin has been removed.
Please use the https://github.com/Azure/kubelogin kubectl/client-go credential plugin instead.
See https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins for further details`,
};

function requirePlugin({ authProvider }: User, fields: UserFields | undefined): void {
  const version = fields?.plugin?.apiVersion;
  if (version !== undefined && !/^client\.authentication\.k8s\.io\/v1(?:beta1)?$/.test(version)) {
    throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(version)}`);
  }
  if (!authProvider) return;
  const name = stringAt(authProvider, 'name') ?? '';
  if (name === 'oidc') return;
  const removed = fieldAt(removedPlugins, name);
  throw new Error(typeof removed === 'string' ? removed : `no Auth Provider found for name ${JSON.stringify(name)}`);
}

function requireAuthority({ caData, caFile, skipTLSVerify }: Cluster): void {
  if (!caData && !caFile) return;
  if (skipTLSVerify) throw new Error('specifying a root certificates file with the insecure flag is not allowed');
  const certificates = caFile ? readFileSync(caFile) : Buffer.from(caData ?? '', 'base64');
  if (!certificates.includes('-----BEGIN ')) {
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  }
  try {
    new X509Certificate(certificates);
  } catch (cause) {
    throw new Error('unable to load root certificates: failed to parse certificate', { cause });
  }
}
