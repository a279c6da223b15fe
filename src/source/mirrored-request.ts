import { isRegistryUrl, isUrl } from './chart-location.ts';
import type { ChartRequest, SourceMirrors } from './chart-request.ts';
import { withoutTrailingSlashes } from './http/http-url.ts';
import { SourceError } from './source-error.ts';

/**
 * Returns a request that asks a mirror in place of what it names, with the credentials of the
 * mirror's Secret. Credentials of the request are for another host, and left out. Undefined if no
 * mirror is for it. Throws {@link SourceError} for a URL that could hide what it names, and what
 * reading the Secret throws.
 */
export async function mirroredRequest(
  request: ChartRequest,
  mirrors: SourceMirrors,
  signal: AbortSignal,
): Promise<ChartRequest | undefined> {
  const { archive, upload, chartName, repoUrl = '' } = request;
  if (archive !== undefined || upload !== undefined) return undefined;
  const name = chartName.trim();
  if (repoUrl === '' && !isUrl(name)) return undefined; // a local chart
  // the name of a chart in a registry is a part of its path
  const isPart = repoUrl !== '' && isRegistryUrl(repoUrl) && !isUrl(name);
  const url = isPart ? `${withoutTrailingSlashes(repoUrl)}/${name}` : repoUrl || name;
  requirePlain(url);
  const mirror = mirrors.mirrorOf(url);
  if (mirror === undefined) return undefined;
  const place = repoUrl === '' || isPart ? { chartName: mirror.url, repoUrl: '' } : { repoUrl: mirror.url };
  const none = { username: undefined, password: undefined, token: undefined, identityToken: undefined, tls: undefined };
  const mirrored = { ...request, ...none, ...place, isMirrored: true };
  if (mirror.secret === undefined || mirrors.credentials === undefined) return mirrored;
  return { ...mirrored, ...(await mirrors.credentials(mirror.secret, mirrored, signal)) };
}

function requirePlain(url: string): void {
  const readable = url.replace(/^oci:/i, 'https:');
  const { username, password } = URL.parse(readable) ?? { username: '', password: '' };
  if (username === '' && password === '') return;
  throw new SourceError(
    'invalid_repository_url',
    'with mirrors of charts, a URL must not have a user or a password; give them in fields of their own',
  );
}
