import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from '../../errors/index.ts';
import { openError } from '../../go/file-error.ts';
import { fromBytes } from '../../go/text.ts';
import type { Value } from '../../go/value.ts';
import { decodeReadable, decodeYamlTree, goBool, goSlice, goString, goStruct } from '../../yaml/decode-struct.ts';
import { goTime } from '../../yaml/decode-time.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { writeYaml } from '../../yaml/write.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/** A repository that was added by name, in Helm's words. */
export interface RepositoryEntry {
  readonly name: string;
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly caFile: string;
  readonly insecure_skip_tls_verify: boolean;
  readonly pass_credentials_all: boolean;
}

/** Helm's repositories.yaml. */
export interface RepositoriesFile {
  readonly apiVersion: string;
  /** Time in Go's JSON form. */
  readonly generated: string;
  readonly repositories: readonly RepositoryEntry[];
}

const entryType = goStruct<RepositoryEntry>('repo.Entry', {
  name: goString,
  url: goString,
  username: goString,
  password: goString,
  certFile: goString,
  keyFile: goString,
  caFile: goString,
  insecure_skip_tls_verify: goBool,
  pass_credentials_all: goBool,
});

const fileType = goStruct<RepositoriesFile>('repo.File', {
  apiVersion: goString,
  generated: goTime,
  repositories: goSlice({ ...entryType, name: '*repo.Entry' }),
});

export const emptyRepositoriesFile: RepositoriesFile = {
  apiVersion: '',
  generated: '0001-01-01T00:00:00Z',
  repositories: [],
};

/**
 * Reads a repositories.yaml; undefined if there is none. Throws errors with Helm's texts
 * (pkg/repo/v1/repo.go).
 */
export async function readRepositoriesFile(path: string): Promise<RepositoriesFile | undefined> {
  try {
    return decodeYamlTree(readTypedYaml(fromBytes(await readFile(path))), fileType);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof YamlError) throw error;
    throw new Error(`couldn't load repositories file (${path}): ${openError(path, error).message}`, { cause: error });
  }
}

/** Returns the entries that can be read; none if the file is not YAML, or there is none. */
export async function readableRepositories(path: string): Promise<readonly RepositoryEntry[]> {
  const text = await readFile(path).then(fromBytes, () => '');
  try {
    return decodeReadable(readTypedYaml(text), fileType).repositories;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return [];
  }
}

/** Writes a repositories.yaml that only this user can read, as it may contain passwords. */
export async function writeRepositoriesFile(path: string, file: RepositoriesFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.chmod(0o600); // the file may have been there with another mode
    await handle.writeFile(repositoriesYaml(file));
  } finally {
    await handle.close();
  }
}

function repositoriesYaml({ apiVersion, generated, repositories }: RepositoriesFile): string {
  return writeYaml(
    new Map<string, Value>([
      ['apiVersion', apiVersion],
      ['generated', generated],
      ['repositories', repositories.map((entry) => new Map(Object.entries(entry)))],
    ]),
  );
}

/** Returns the file with an entry instead of the one with its name, or as the last one. */
export function withRepository(file: RepositoriesFile, entry: RepositoryEntry): RepositoriesFile {
  const at = file.repositories.findIndex(({ name }) => name === entry.name);
  const repositories = at < 0 ? [...file.repositories, entry] : file.repositories.with(at, entry);
  return { ...file, repositories };
}
