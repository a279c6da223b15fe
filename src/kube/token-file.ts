import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { KubeError } from './kube-error.ts';

/**
 * Returns the file with the bearer token of the current user: that of the service account, or
 * `tokenFile` of a kubeconfig, which client-node does not know. Undefined if the user has none.
 */
export function tokenFileOf(
  source: 'service-account' | { file: string } | { text: string },
  config: KubeConfig,
): string | undefined {
  const user = config.getCurrentUser();
  if (source === 'service-account') {
    const provider = user?.authProvider as { config?: { tokenFile?: string } } | undefined; // as loadFromCluster sets it
    return provider?.config?.tokenFile;
  }
  const folder = 'file' in source ? dirname(source.file) : '.';
  const text = 'file' in source ? readFileSync(source.file, 'utf8') : source.text;
  const { users } = load(text) as { users?: { name: string; user?: { tokenFile?: unknown } }[] }; // client-node has read it
  const tokenFile = users?.find(({ name }) => name === user?.name)?.user?.tokenFile;
  return typeof tokenFile === 'string' && tokenFile !== '' ? resolve(folder, tokenFile) : undefined;
}

/**
 * Returns a function that reads a token file again for each request, so that a rotated token is
 * used at once. As in client-go, the last token is used if the file cannot be read. Rejects with
 * `unauthorized` if there is none.
 */
export function tokenReader(file: string): () => Promise<string> {
  let last: string | undefined;
  return async () => {
    try {
      const text = (await readFile(file, 'utf8')).trim();
      if (text !== '') last = text;
    } catch (cause) {
      if (last !== undefined) return last;
      throw new KubeError('unauthorized', `cannot read the token file ${file}`, { cause });
    }
    if (last === undefined) throw new KubeError('unauthorized', `the token file ${file} is empty`);
    return last;
  };
}
