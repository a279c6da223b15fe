import { isVersion, parseVersion } from '../../go/semver.ts';
import type { DownloadSettings } from '../download-settings.ts';
import { type DownloadOptions, downloadPage } from '../http/download.ts';
import type { Credentials } from '../http/endpoint.ts';
import { shownUrl } from '../http/http-url.ts';
import type { ChartVersion } from '../select-version.ts';
import { SourceError } from '../source-error.ts';
import { notJson, parseObject } from './manifest.ts';
import type { ChartReference } from './reference.ts';
import { accessRegistry, nextPage, type RegistryAccess } from './registry-access.ts';

const mebibyte = 1024 * 1024;
const tagsPerPage = 1000;
/** Limits of a list of tags. The largest repositories of charts have a few thousand. */
const mostPages = 100;
const mostTags = 10_000;

type ListSettings = Pick<DownloadSettings, 'dispatcher' | 'machine' | 'timeoutMs' | 'plainHttp'>;

/**
 * Returns the versions of a chart in a registry. Throws {@link SourceError}, or the signal's
 * reason.
 */
export async function listVersions(
  reference: ChartReference,
  credentials: Credentials,
  settings: ListSettings,
  signal: AbortSignal,
): Promise<ChartVersion[]> {
  const access = await accessRegistry(reference, credentials, settings, signal);
  return versionsAt(reference.repository, access, settings, signal);
}

/** Like {@link listVersions}, with access that was gained before. */
export async function versionsAt(
  repository: string,
  access: RegistryAccess,
  settings: ListSettings,
  signal: AbortSignal,
): Promise<ChartVersion[]> {
  return (await tagsAt(repository, access, settings, signal)).flatMap(versionsOfTag);
}

/**
 * Lists all tags, page by page: registries limit the size of a page. The next page is the one in
 * the `Link` header, which must be on the same host, or else the one after the last tag.
 */
async function tagsAt(
  repository: string,
  access: RegistryAccess,
  { dispatcher, machine, timeoutMs }: ListSettings,
  signal: AbortSignal,
): Promise<string[]> {
  const tags = new Set<string>();
  const what = `the list of versions of ${repository}`;
  const first = access.endpointAt(`tags/list?n=${tagsPerPage}`);
  let endpoint = first;
  for (let pages = 0; pages < mostPages; pages++) {
    const options: DownloadOptions = { what, maxBytes: mebibyte, dispatcher, machine, timeoutMs };
    const { body, link } = await downloadPage(endpoint, options, signal);
    const known = tags.size;
    for (const tag of tagsIn(body)) {
      tags.add(tag);
      if (tags.size > mostTags) throw tooManyTags(what, `${mostTags} versions`);
    }
    if (tags.size === known) return [...tags];
    const next = nextPage(link);
    const last = Array.from(tags).at(-1) ?? '';
    endpoint =
      next === undefined
        ? access.endpointAt(`tags/list?n=${tagsPerPage}&last=${encodeURIComponent(last.toWellFormed())}`)
        : { url: sameHost(next, endpoint.url, what), authorization: first.authorization };
  }
  throw tooManyTags(what, `${mostPages} pages`);
}

function tooManyTags(what: string, limit: string): SourceError {
  return new SourceError('too_large', `${what} has more than ${limit}; give the exact version of the chart`);
}

/** Resolves the reference of the next page, which gets the credentials, too. */
function sameHost(reference: string, page: URL, what: string): URL {
  const url = URL.canParse(reference, page.href) ? new URL(reference, page) : undefined;
  if (url?.origin === page.origin) return url;
  const problem = `${what} continues on another host than ${shownUrl(page)}; check the chart's URL`;
  throw new SourceError('repository_invalid', problem);
}

/** Returns nothing for a tag that is not a version. */
function versionsOfTag(tag: string): ChartVersion[] {
  const version = tag.replaceAll('_', '+');
  const isStrict = /^\d+\.\d+\.\d+(?:[-+]|$)/.test(version) && isVersion(version);
  return isStrict ? [{ version, parts: parseVersion(version) }] : [];
}

/** Reads a page of tags. A schema would collect a problem for each of a million wrong ones. */
function tagsIn(page: Buffer): string[] {
  const what = 'a list of versions';
  const { tags } = parseObject(page, what);
  if (tags === undefined || tags === null) return [];
  if (!Array.isArray(tags)) throw notJson(what);
  return (tags as readonly unknown[]).map((tag) => {
    if (typeof tag !== 'string') throw notJson(what);
    return tag;
  });
}
