import { chartLocation } from '../source/chart-location.ts';
import { readRepositoriesFile } from '../source/configuration/repositories-file.ts';
import { withoutUserinfo } from '../source/http/http-url.ts';
import type { DownloadContext } from './context.ts';
import type { ChartPathOptions } from './context.ts';
import { localChart } from './located-chart.ts';

/** The fields of a command that say where an agent finds the chart. */
export interface ChartReference {
  chartName: string;
  chartVersion?: string | undefined;
  repoUrl?: string | undefined;
  repoUserName?: string | undefined;
  repoPassword?: string | undefined;
  credentialsFrom?: { secret: string } | undefined;
}

/** How this user accesses a repository or registry. */
interface OwnAccess {
  readonly username: string;
  readonly password: string;
  /** Whether it takes certificates, switches or tokens, which a command cannot have. */
  readonly isOfThisMachine: boolean;
}

/** A chart of a repository or registry. */
export interface ReferredChart {
  /** Without credentials. */
  readonly reference: ChartReference;
  /** Undefined if the chart can be downloaded without credentials, as far as this user knows. */
  readonly access: OwnAccess | undefined;
}

/**
 * Returns where an agent finds a chart of a repository or a registry, and how this user accesses
 * it. Undefined for a chart of this machine.
 */
export async function referredChart(
  given: string,
  options: ChartPathOptions,
  context: DownloadContext,
): Promise<ReferredChart | undefined> {
  const name = given.trim();
  const chartVersion = options.version.trim() || undefined;
  const location = chartLocation(name, options.repo);
  if (location.kind === 'repository') {
    const { url, access } = await accessAt(location.url, options, context);
    return { reference: { chartName: name, chartVersion, repoUrl: url }, access };
  }
  if ((await localChart(name)) !== undefined) return undefined;
  if (location.kind !== 'name') {
    const { url, access } = await accessAt(location.url, options, context);
    return { reference: { chartName: url, chartVersion }, access };
  }
  const [repository = '', ...rest] = name.split('/');
  if (rest.length === 0) {
    throw new Error(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`);
  }
  const file = await readRepositoriesFile(context.settings.repositoryConfig);
  const entry = file?.repositories.find((each) => each.name === repository);
  if (entry === undefined) throw new Error(`repo ${repository} not found`);
  const { username, password, certFile, keyFile, caFile, insecure_skip_tls_verify: insecure } = entry;
  const hasOptions = hasConnectionOptions({ ...options, certFile, keyFile, caFile }) || insecure;
  const hasCredentials = username !== '' && password !== '';
  const own = { ...options, ...(hasCredentials && { username, password }) };
  const { url, access } = await accessAt(entry.url, own, context, hasOptions || hasConnectionOptions(options));
  return { reference: { chartName: rest.join('/'), chartVersion, repoUrl: url }, access };
}

/** Returns an address without its userinfo, and the access of this user to it. */
async function accessAt(
  address: string,
  options: Pick<ChartPathOptions, 'username' | 'password'> & ConnectionOptions,
  context: DownloadContext,
  hasOptions = hasConnectionOptions(options),
): Promise<{ url: string; access: OwnAccess | undefined }> {
  const { url, ...userinfo } = withoutUserinfo(address);
  const { username, password } = options;
  const given = username === '' && password === '' ? userinfo : { username, password };
  const isGiven = given.username !== '' || given.password !== '';
  const stored = isGiven ? undefined : await storedLogin(url, context);
  const { username: name, password: secret } = stored ?? given;
  const isOfThisMachine = hasOptions || (stored?.identityToken ?? stored?.token) !== undefined;
  if (name === '' && secret === '' && !isOfThisMachine) return { url, access: undefined };
  return { url, access: { username: name, password: secret, isOfThisMachine } };
}

type ConnectionOptions = Pick<
  ChartPathOptions,
  'certFile' | 'keyFile' | 'caFile' | 'insecureSkipTlsVerify' | 'plainHttp'
>;

function hasConnectionOptions(options: ConnectionOptions): boolean {
  const { certFile, keyFile, caFile, insecureSkipTlsVerify, plainHttp } = options;
  return `${certFile}${keyFile}${caFile}` !== '' || insecureSkipTlsVerify || plainHttp;
}

/** Returns the credentials that a login to a registry has stored. */
async function storedLogin(address: string, { settings, env }: DownloadContext) {
  const url = URL.parse(address);
  if (url?.protocol !== 'oci:') return undefined;
  const { findRegistryCredentials, registryConfigFiles } = await import('../source/configuration/registry-config.ts');
  return findRegistryCredentials(registryConfigFiles(settings.registryConfig, env), url.host);
}
