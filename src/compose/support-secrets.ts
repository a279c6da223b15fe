import { readFile } from 'node:fs/promises';
import type { SupportSecrets } from '../agent/support/support-bundle.ts';
import type { ConnectionSource } from '../kube/index.ts';
import type { Cluster } from '../objects/cluster.ts';
import type { KubeObject } from '../objects/object.ts';
import { findSecrets } from '../redaction/find-secrets.ts';

export interface SupportSecretsOptions {
  cluster: Cluster;
  /** The namespace of the agent. */
  namespace: string;
  source: ConnectionSource;
  /** Files with a token or a key, some of which may be missing. */
  files: readonly (string | undefined)[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Secrets of the namespace that are read, without those of commands, plans and releases. */
const maxSecrets = 100;

const labelSelector = '!helm-agent/journal,!helm-agent/plan,owner!=helm';

/** Names of variables whose values are secret, or have a password. Those of flags name files. */
const secretVariable = /^(?!HELM_AGENT_).*(?:pass|secret|token|key|credential|auth|headers|proxy)/i;

/** Fields of a kubeconfig that are secret, in YAML and in JSON. */
const kubeconfigField =
  /(?:token|password|client-key-data|client-secret)["']?[ \t]{0,8}:[ \t]{0,8}["']?([^\s"',}]{5,})/gi;

/** Returns what finds the secrets that this process knows. */
export function supportSecrets(options: SupportSecretsOptions): SupportSecrets {
  const { cluster, namespace } = options;
  return {
    ofProcess: () => ownSecrets(options),
    async ofNamespace(signal) {
      const query = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector, most: maxSecrets + 1 };
      const found = await cluster.list(query, signal);
      const read = found.slice(0, maxSecrets);
      const unread = found.length > read.length ? `there are more than ${maxSecrets}` : undefined;
      return { texts: findSecrets(read, namespace).texts, unread };
    },
  };
}

async function ownSecrets({ namespace, source, files, env }: SupportSecretsOptions): Promise<readonly string[]> {
  const kubeconfigs = kubeconfigFiles(source);
  const [own, config] = await Promise.all([textsOf(files), textsOf(kubeconfigs)]);
  const variables = Object.entries(env).flatMap(([name, value = '']) =>
    secretVariable.test(name) ? partsOf(value) : [],
  );
  const given = typeof source === 'object' && 'text' in source ? [source.text] : [];
  const fields = [...config, ...given].flatMap((text) =>
    [...text.matchAll(kubeconfigField)].map(([, value = '']) => value),
  );
  const local: KubeObject = {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: '' } },
    stringData: Object.fromEntries([...own.map((text) => text.trim()), ...variables, ...fields].entries()),
  };
  return findSecrets([local], namespace).texts;
}

/** Returns a value, and its password if it is a URL with one, such as that of a proxy. */
function partsOf(value: string): string[] {
  const { password = '' } = URL.parse(value) ?? {};
  return [value, password, percentDecoded(password)];
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function kubeconfigFiles(source: ConnectionSource): string[] {
  if (source === 'service-account') return ['/var/run/secrets/kubernetes.io/serviceaccount/token'];
  if ('file' in source) return [source.file];
  return 'files' in source ? [...source.files] : [];
}

async function textsOf(files: readonly (string | undefined)[]): Promise<string[]> {
  const read = files.map(async (file) => (file === undefined ? '' : await readFile(file, 'utf8').catch(() => '')));
  return (await Promise.all(read)).filter((text) => text !== '');
}
