import { isJsonObject } from '../../objects/fields.ts';
import { checkDigest, digitsOf } from '../digest.ts';
import { SourceError } from '../source-error.ts';
import { chartMediaTypes, notJson, parseObject } from './manifest.ts';

/** Most manifests of an index that are looked through for a chart. */
const mostManifests = 32;

/**
 * Returns the manifest of a chart: a document itself, or the one that it lists as an index. Helm
 * takes any of several charts; here, they are an error. Throws {@link SourceError}, and what
 * `read` throws.
 *
 * @param what names the chart in errors
 * @param read downloads the manifest with a digest
 */
export async function chartManifest(
  document: Buffer,
  what: string,
  read: (digest: string) => Promise<Buffer>,
): Promise<Buffer> {
  const entries = entriesOf(document);
  if (entries === undefined) return document;
  if (entries.length > mostManifests) {
    throw new SourceError('too_large', `${what} is an index with more than ${mostManifests} manifests`);
  }
  const charts: { digest: string; content: Buffer }[] = [];
  for (const entry of entries) {
    if (!isJsonObject(entry) || entry.mediaType !== chartMediaTypes.manifest) continue;
    const { digest } = entry;
    // another text could lead to another path
    if (typeof digest !== 'string' || !digest.startsWith('sha256:') || digitsOf(digest) === undefined) {
      throw notJson('an index');
    }
    const content = await read(digest);
    await checkDigest(content, digest, what);
    const { config } = parseObject(content, 'a manifest');
    if (isJsonObject(config) && config.mediaType === chartMediaTypes.config) charts.push({ digest, content });
  }
  const [chart, ...others] = charts;
  if (chart === undefined) {
    throw new SourceError('repository_invalid', `${what} is an index without a Helm chart; check the URL`);
  }
  if (others.length === 0) return chart.content;
  const digests = charts.map(({ digest }) => digest).join(', ');
  const advice = `put the digest of one of them into the URL, after an @: ${digests}`;
  throw new SourceError('repository_invalid', `${what} is an index of ${charts.length} Helm charts; ${advice}`);
}

/** Whether a document is an index that lists a manifest. Throws {@link SourceError}. */
export function listsManifest(document: Buffer, manifestDigest: string): boolean {
  const entries = entriesOf(document) ?? [];
  return entries.some((entry) => isJsonObject(entry) && entry.digest === manifestDigest);
}

/** Returns the entries of an index, undefined if the document is a manifest itself. */
function entriesOf(document: Buffer): readonly unknown[] | undefined {
  const { manifests, layers } = parseObject(document, 'a manifest');
  return layers === undefined && Array.isArray(manifests) ? manifests : undefined;
}
