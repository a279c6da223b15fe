import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { isMissing } from '../errors/index.ts';

/** A kubeconfig, and what client-node does not read from it. */
export interface LoadedKubeConfig {
  config: KubeConfig;
  /** Paths of the files with tokens, by the names of their users. */
  tokenFiles: ReadonlyMap<string, string>;
}

/** Reads the text of a kubeconfig, whose paths are relative to a folder. */
export function parseKubeConfig(text: string, folder: string): LoadedKubeConfig {
  const config = emptyConfig();
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))) return { config, tokenFiles: new Map() };
  const content: unknown = load(text);
  if (content === null) return { config, tokenFiles: new Map() };
  config.loadFromString(text);
  config.makePathsAbsolute(folder);
  const { users } = content as { users?: { name: string; user?: { tokenFile?: unknown } }[] }; // client-node has read it
  const tokenFiles = (users ?? []).flatMap(({ name, user }): [string, string][] => {
    const path = user?.tokenFile;
    return typeof path === 'string' && path !== '' ? [[name, resolve(folder, path)]] : [];
  });
  return { config, tokenFiles: new Map(tokenFiles) };
}

/**
 * Reads kubeconfigs as one, as kubectl does with the files of `KUBECONFIG`: of the entries with a
 * name, and of the current contexts, the first one counts as a whole. Paths are relative to the
 * folder of their file, and files that do not exist are left out. client-node's own merge takes the
 * last current context, and refuses names that two files have.
 */
export function readKubeConfigs(files: readonly string[]): LoadedKubeConfig {
  const config = emptyConfig();
  const tokenFiles = new Map<string, string>();
  for (const file of files) {
    const text = textOf(file);
    if (text === undefined) continue;
    const next = parseFile(text, file);
    for (const user of next.config.users) {
      const tokenFile = next.tokenFiles.get(user.name);
      if (tokenFile !== undefined && config.getUser(user.name) === null) tokenFiles.set(user.name, tokenFile);
    }
    config.clusters = firstOfEach([...config.clusters, ...next.config.clusters]);
    config.users = firstOfEach([...config.users, ...next.config.users]);
    config.contexts = firstOfEach([...config.contexts, ...next.config.contexts]);
    config.currentContext ||= next.config.currentContext;
  }
  return { config, tokenFiles };
}

function emptyConfig(): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({ clusters: [], users: [], contexts: [], currentContext: '' });
  return config;
}

function parseFile(text: string, file: string): LoadedKubeConfig {
  try {
    return parseKubeConfig(text, dirname(file));
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n'); // both libraries throw Errors; the next lines quote the file
    throw new Error(`${file}: ${reason}`, { cause: error });
  }
}

/** Undefined if the file does not exist. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function firstOfEach<Entry extends { name: string }>(entries: readonly Entry[]): Entry[] {
  const names = new Set<string>();
  return entries.filter(({ name }) => !names.has(name) && names.add(name));
}
