import { readdir, readFile } from 'node:fs/promises';
import { chartListPath, indexPath, readCachedIndex, readIndexText } from '../../../downloader/index.ts';
import { readRepositoriesFile } from '../../../source/configuration/repositories-file.ts';
import { type Candidate, type Completion, directives, withoutFiles } from '../../completion/candidate.ts';
import type { HelmContext } from '../context.ts';

const urlPrefixes: readonly Candidate[] = [
  { name: 'oci://', description: 'Chart OCI prefix' },
  { name: 'https://', description: 'Chart URL prefix' },
  { name: 'http://', description: 'Chart URL prefix' },
  { name: 'file://', description: 'Chart local URL prefix' },
];

const pathPrefixes: readonly Candidate[] = [
  { name: './', description: 'Relative path prefix to local chart' },
  { name: '/', description: 'Absolute path prefix to local chart' },
];

/** Returns the repositories that were added. */
export async function repositoryCandidates({ settings }: HelmContext): Promise<Candidate[]> {
  const file = await readRepositoriesFile(settings.repositoryConfig).catch(() => undefined);
  return (file?.repositories ?? []).map(({ name, url }) => ({ name, description: url }));
}

/**
 * Completes the reference of a chart: repositories, the charts of the one that was typed, prefixes
 * of URLs, and files if the command reads charts of this machine (pkg/cmd/search_repo.go).
 */
export async function chartCompletion(typed: string, hasFiles: boolean, context: HelmContext): Promise<Completion> {
  const repositories = await repositoryCandidates(context);
  const chosen = repositories.find(({ name }) => typed.startsWith(`${name}/`));
  const prefixes = [
    ...repositories.map(({ name, description }) => ({ name: `${name}/`, description })),
    ...urlPrefixes,
  ].filter(({ name }) => name.startsWith(typed) && name !== typed);
  const found = [...(chosen ? await chartsOf(chosen.name, context) : []), ...prefixes];
  const files = hasFiles && found.length > 0 && typed !== '' ? await readdir('.').catch(() => []) : [];
  const candidates = [
    ...found,
    ...files.map((name) => ({ name, description: '' })),
    ...(hasFiles && typed === '' ? pathPrefixes : []),
  ];
  const noSpace = prefixes.length > 0 ? directives.noSpace : 0;
  return { candidates, directive: noSpace + (hasFiles ? 0 : directives.noFiles) };
}

/** Completes the version of a chart from the index that was downloaded last (pkg/cmd/flags.go). */
export async function versionCompletion(chart: string, context: HelmContext): Promise<Completion> {
  const [repository = '', name, ...more] = chart.split('/');
  if (name === undefined || more.length > 0) return withoutFiles([]);
  const text = await readCachedIndex(repository, context).catch(() => undefined);
  if (text === undefined) return withoutFiles([]);
  const index = await readIndexText(text, indexPath(repository, context));
  return withoutFiles(
    (index.versionsOf(name) ?? []).map(({ version, appVersion }) => ({
      name: version,
      description: appVersion ? `App: ${appVersion}` : '',
    })),
  );
}

async function chartsOf(repository: string, context: HelmContext): Promise<Candidate[]> {
  const names = await readFile(chartListPath(repository, context), 'utf8').then(
    (text) => text.split('\n').filter((name) => name !== ''),
    () => namesInIndex(repository, context),
  );
  return names.map((name) => ({ name: `${repository}/${name}`, description: '' }));
}

/** Older versions of helm keep no list of charts beside the index. */
async function namesInIndex(repository: string, context: HelmContext): Promise<readonly string[]> {
  const text = await readCachedIndex(repository, context).catch(() => undefined);
  return text === undefined ? [] : (await readIndexText(text, indexPath(repository, context))).chartNames;
}
