import { posix } from 'node:path';
import type { ChartFile } from '../chart/chart.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import type { MissingDependency } from '../chart/metadata/missing-dependencies.ts';
import { isRegistryUrl } from './chart-location.ts';
import type { ChartReader } from './chart-reader.ts';
import type { ChartRequest } from './chart-request.ts';
import { isBelowPaths } from './http/http-url.ts';
import { mirroredRequest } from './mirrored-request.ts';
import { SourceError } from './source-error.ts';

export interface AddDependenciesTools {
  download: (request: ChartRequest, signal: AbortSignal) => Promise<Uint8Array>;
  reader: Pick<ChartReader, 'addFiles'>;
}

/**
 * Returns a chart with the dependencies that are missing in its charts/ folder, downloaded from
 * their repositories. The credentials of the request are sent only to its own repository, and a
 * mirror gets those of its Secret. Throws {@link SourceError}, `ChartError`, or the signal's
 * reason.
 */
export async function addDependencies(
  content: ChartContent,
  request: ChartRequest,
  { download, reader }: AddDependenciesTools,
  signal: AbortSignal,
): Promise<ChartContent> {
  const files: ChartFile[] = [];
  for (const [index, dependency] of (content.missing ?? []).entries()) {
    const path = `charts/dependency-${index + 1}`;
    if (dependency.repository.startsWith('file://')) {
      files.push(...ownFiles(content, dependency).map(({ name, data }) => ({ name: `${path}/${name}`, data })));
    } else if (dependency.repository !== '') {
      const data = await download(await dependencyRequest(dependency, request, signal), signal);
      files.push({ name: `${path}.tgz`, data });
    }
  }
  return await reader.addFiles(content, files, signal);
}

async function dependencyRequest(
  { name, version, repository }: MissingDependency,
  request: ChartRequest,
  signal: AbortSignal,
): Promise<ChartRequest> {
  if (/^(?:@|alias:)/.test(repository)) {
    throw new SourceError(
      'unsupported',
      `dependency ${name} is in the repository ${repository}, a name that only helm knows; give the URL in Chart.yaml`,
    );
  }
  const { username, password, token, identityToken, tls, credentialPaths, mirrors, repoUrl = '' } = request;
  const isSame = originOf(repoUrl) !== undefined && originOf(repoUrl) === originOf(repository);
  // the files of an HTTP repository are checked when they are downloaded
  const isAllowed =
    !isRegistryUrl(repository) || isBelowPaths(`${new URL(repository).pathname}/${name}`, credentialPaths);
  const own = { username, password, token, identityToken, tls, credentialPaths };
  const credentials = isSame && isAllowed ? own : {};
  const plain = { chartName: name, chartVersion: version, repoUrl: repository, ...credentials };
  if (mirrors === undefined) return plain;
  return (await mirroredRequest({ ...plain, mirrors }, mirrors, signal)) ?? { ...plain, mirrors };
}

function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** Returns the files of a dependency in a folder of the chart, with names relative to it. */
function ownFiles({ files }: ChartContent, { name, repository }: MissingDependency): ChartFile[] {
  const folder = posix.normalize(repository.slice('file://'.length));
  if (posix.isAbsolute(folder) || folder.split('/').includes('..')) {
    throw new SourceError(
      'path_forbidden',
      `dependency ${name} is at ${repository}, outside of the chart; put it into the folder charts/ of the chart`,
    );
  }
  const prefix = `${folder.replace(/(?<!\/)\/+$/, '')}/`;
  const own = files.filter((file) => file.name.startsWith(prefix));
  if (own.length === 0) {
    throw new SourceError(
      'chart_not_found',
      `dependency ${name} is at ${repository}, and the chart has no such folder`,
    );
  }
  return own.map((file) => ({ name: file.name.slice(prefix.length), data: file.data }));
}
