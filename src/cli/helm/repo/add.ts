import { mkdir } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { requireRepositoryUrl, updateIndex } from '../../../downloader/index.ts';
import { messageOf } from '../../../errors/index.ts';
import { quote } from '../../../go/strconv.ts';
import { withFileLock } from '../../../source/configuration/file-lock.ts';
import {
  emptyRepositoriesFile,
  readRepositoriesFile,
  type RepositoryEntry,
  withRepository,
  writeRepositoriesFile,
} from '../../../source/configuration/repositories-file.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import { durationFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { HelmContext } from '../context.ts';
import { readPassword } from '../password.ts';
import { downloadTimeout, milliseconds } from './timeout.ts';

/** Repositories that were closed, and those that replace them. */
const closed: Readonly<Record<string, string>> = {
  '//kubernetes-charts.storage.googleapis.com': 'https://charts.helm.sh/stable',
  '//kubernetes-charts-incubator.storage.googleapis.com': 'https://charts.helm.sh/incubator',
};

const lockSeconds = 30;

/** `helm repo add` (pkg/cmd/repo_add.go) */
export const repoAddCommand: Command<HelmContext> = {
  use: 'add [NAME] [URL]',
  examples: ['podinfo https://stefanprodan.github.io/podinfo'],
  checkArguments: argumentCount('exactly', 2),
  flags: () => [
    textFlag('username', 'user name for the repository'),
    textFlag('password', 'password for the repository'),
    switchFlag('password-stdin', 'read the password from stdin'),
    switchFlag('force-update', 'replace the repository if the name is taken'),
    textFlag('cert-file', 'file with the certificate of this client'),
    textFlag('key-file', 'file with the private key of --cert-file'),
    textFlag('ca-file', 'file with the CAs of servers'),
    switchFlag('insecure-skip-tls-verify', 'do not check the certificate of the server'),
    switchFlag('allow-deprecated-repos', 'also add a repository that is known to be gone'),
    switchFlag('pass-credentials', 'send the credentials to other hosts, too, that the index links to'),
    durationFlag('timeout', downloadTimeout.usage, { initial: downloadTimeout.initial }),
  ],
  async run({ args: [name = '', url = ''], flags, context }) {
    if (!flags.isOn('allow-deprecated-repos')) refuseClosed(url);
    const path = context.settings.repositoryConfig;
    await mkdir(dirname(path), { recursive: true });
    await withFileLock(lockPath(path), lockSeconds, () => add(name, url, flags, context));
  },
};

function refuseClosed(url: string): void {
  const instead = Object.entries(closed).find(([old]) => url.includes(old))?.[1];
  if (instead !== undefined)
    throw new Error(`repo ${quote(url)} is no longer available; try ${quote(instead)} instead`);
}

function lockPath(path: string): string {
  const extension = extname(path);
  return `${extension === '' ? path : path.slice(0, -extension.length)}.lock`;
}

async function add(name: string, url: string, flags: FlagValues, context: HelmContext): Promise<void> {
  const { settings, stdout } = context;
  const file = (await readRepositoriesFile(settings.repositoryConfig)) ?? emptyRepositoriesFile;
  const entry: RepositoryEntry = {
    name,
    url,
    username: flags.text('username'),
    password: await passwordOf(flags, context),
    certFile: flags.text('cert-file'),
    keyFile: flags.text('key-file'),
    caFile: flags.text('ca-file'),
    insecure_skip_tls_verify: flags.isOn('insecure-skip-tls-verify'),
    pass_credentials_all: flags.isOn('pass-credentials'),
  };
  if (name.includes('/')) {
    throw new Error(`repository name (${name}) contains '/', please specify a different name without '/'`);
  }
  const existing = file.repositories.find((other) => other.name === name);
  if (existing !== undefined && !flags.isOn('force-update')) {
    if (!isDeepStrictEqual(entry, existing)) {
      throw new Error(`repository name (${name}) already exists, please specify a different name`);
    }
    stdout.write(`${quote(name)} already exists with the same configuration, skipping\n`);
    return;
  }
  await requireRepositoryUrl(url);
  await updateIndex(entry, context, new AbortController().signal, milliseconds(flags.duration('timeout'))).catch(
    (cause: unknown) => {
      const reason = messageOf(cause);
      const problem = `looks like ${quote(url)} is not a valid chart repository or cannot be reached: ${reason}`;
      throw new Error(problem, { cause });
    },
  );
  await writeRepositoriesFile(settings.repositoryConfig, withRepository(file, entry));
  stdout.write(`${quote(name)} has been added to your repositories\n`);
}

async function passwordOf(flags: FlagValues, context: HelmContext): Promise<string> {
  const password = flags.text('password');
  if (flags.text('username') === '' || password !== '') return password;
  return readPassword('Password: ', flags.isOn('password-stdin'), context);
}
