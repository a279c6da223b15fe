import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { isMissing } from '../errors/index.ts';
import { fieldAt, isJsonObject, objectsAt, stringAt } from '../objects/fields.ts';
import { type ExecPlugin, readExecPlugin } from './credential-plugin.ts';
import { type Impersonation, readImpersonation } from './impersonation.ts';

/** A kubeconfig, and what client-node does not read from it. */
export interface LoadedKubeConfig {
  config: KubeConfig;
  /** Fields that client-node does not read, by the names of users. */
  users: ReadonlyMap<string, UserFields>;
  /** Fields of clusters, by their names. */
  clusters: ReadonlyMap<string, unknown>;
}

export interface UserFields {
  /** Path of the file with the token. */
  tokenFile: string | undefined;
  plugin: ExecPlugin | undefined;
  impersonation: Impersonation;
}

/** Reads the text of a kubeconfig, whose paths are relative to a folder. */
export function parseKubeConfig(text: string, folder: string): LoadedKubeConfig {
  const config = emptyConfig();
  if (text.split('\n').every((line) => /^\s*(?:#|$)/.test(line)))
    return { config, users: new Map(), clusters: new Map() };
  const content: unknown = load(text);
  if (content === null) return { config, users: new Map(), clusters: new Map() };
  if (!isJsonObject(content)) throw new Error('it is not a kubeconfig, which is a map of clusters, users and contexts');
  config.loadFromString(text);
  config.makePathsAbsolute(folder);
  // client-node would run the plugin
  config.users = config.users.map((user) => ({ ...user, exec: undefined }));
  const users = objectsAt(content, 'users').map(({ name, user }): [string, UserFields] => {
    const userName = String(name);
    const exec = fieldAt(user, 'exec');
    const tokenFile = stringAt(user, 'tokenFile') ?? '';
    return [
      userName,
      {
        tokenFile: tokenFile === '' ? undefined : resolve(folder, tokenFile),
        plugin: isJsonObject(exec) ? readExecPlugin(exec) : undefined,
        impersonation: readImpersonation(userName, user),
      },
    ];
  });
  const clusters = objectsAt(content, 'clusters').map(({ name, cluster }): [string, unknown] => [
    String(name),
    cluster,
  ]);
  // the first one with a name counts
  return { config, users: new Map(users.reverse()), clusters: new Map(clusters.reverse()) };
}

/**
 * Reads kubeconfigs as one, as kubectl does with the files of `KUBECONFIG`: of the entries with a
 * name, and of the current contexts, the first one counts as a whole. Paths are relative to the
 * folder of their file, and files that do not exist are left out. client-node's own merge takes the
 * last current context, and refuses names that two files have.
 */
export function readKubeConfigs(files: readonly string[]): LoadedKubeConfig {
  const config = emptyConfig();
  let users: ReadonlyMap<string, UserFields> = new Map();
  let clusters: ReadonlyMap<string, unknown> = new Map();
  for (const file of files) {
    const text = textOf(file);
    if (text === undefined) continue;
    const next = parseFile(text, file);
    users = new Map([...next.users, ...users]);
    clusters = new Map([...next.clusters, ...clusters]);
    config.clusters = firstOfEach([...config.clusters, ...next.config.clusters]);
    config.users = firstOfEach([...config.users, ...next.config.users]);
    config.contexts = firstOfEach([...config.contexts, ...next.config.contexts]);
    config.currentContext ||= next.config.currentContext;
  }
  return { config, users, clusters };
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
