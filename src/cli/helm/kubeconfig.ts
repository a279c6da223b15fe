import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isMissing, messageOf } from '../../errors/index.ts';
import { statError } from '../../go/file-error.ts';
import { mismatch } from '../../go/json-decode.ts';
import { fromBytes } from '../../go/text.ts';
import { isList, isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { readYaml } from '../../yaml/read.ts';
import type { HelmSettings } from './settings.ts';

type Fields = ReadonlyMap<string, Value>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The files of a kubeconfig as one. Contexts, clusters and users are by name. */
export interface KubeConfig {
  currentContext: string;
  contexts: ReadonlyMap<string, Fields>;
  clusters: ReadonlyMap<string, Fields>;
  users: ReadonlyMap<string, Fields>;
}

/** Fields with paths, which a file may have relative to its folder. */
const pathFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/**
 * Reads what kubectl reads: the file of the flag, or the files in `KUBECONFIG`, of which the first
 * one with a name counts, or the file in the home folder. Only the file of the flag must exist.
 * Throws an error with Go's text.
 */
export async function readKubeConfig(
  { kubeConfig }: Pick<HelmSettings, 'kubeConfig'>,
  env: Environment,
): Promise<KubeConfig> {
  const paths = kubeConfigFiles(kubeConfig, env);
  const files = await Promise.all(paths.map((path) => readConfig(path, kubeConfig !== '')));
  return {
    currentContext: files.map(({ fields }) => textAt(fields, 'current-context')).find((name) => name !== '') ?? '',
    contexts: entriesOf(files, 'contexts', 'context'),
    clusters: entriesOf(files, 'clusters', 'cluster'),
    users: entriesOf(files, 'users', 'user'),
  };
}

/** Returns a text field, or an empty text. */
export function textAt(fields: Fields | undefined, name: string): string {
  const value = fields?.get(name);
  return typeof value === 'string' ? value : '';
}

function kubeConfigFiles(explicit: string, env: Environment): string[] {
  if (explicit !== '') return [explicit];
  const listed = (env['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '');
  return listed.length > 0 ? listed : [join(env['HOME'] ?? '', '.kube', 'config')];
}

interface ConfigFile {
  folder: string;
  fields: Fields;
}

async function readConfig(path: string, isRequired: boolean): Promise<ConfigFile> {
  const folder = dirname(path);
  try {
    return { folder, fields: fieldsOf(readYaml(fromBytes(await readFile(path)))) };
  } catch (error) {
    if (isMissing(error) && !isRequired) return { folder, fields: new Map() };
    if (isMissing(error)) throw statError(path, error);
    const reason = messageOf(error);
    throw new Error(`error loading config file "${path}": ${reason}`, { cause: error });
  }
}

function fieldsOf(value: Value): Fields {
  if (value === null) return new Map();
  if (isMap(value)) return value;
  const type = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  throw new Error(`couldn't get version/kind; json parse error: ${mismatch(value, type)}`);
}

function entriesOf(files: readonly ConfigFile[], list: string, part: string): ReadonlyMap<string, Fields> {
  const entries = files.flatMap(({ folder, fields }) =>
    listOf(fields.get(list)).flatMap((entry): [string, Fields][] => {
      if (!isMap(entry)) return [];
      const content = entry.get(part);
      return [[textAt(entry, 'name'), isMap(content) ? withAbsolutePaths(content, folder) : new Map()]];
    }),
  );
  return new Map(entries.reverse()); // the first one with a name counts
}

function withAbsolutePaths(fields: Fields, folder: string): Fields {
  const paths = pathFields.flatMap((name): [string, string][] => {
    const path = textAt(fields, name);
    return path === '' || isAbsolute(path) ? [] : [[name, join(folder, path)]];
  });
  return new Map([...fields, ...paths]);
}

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : [];
}
