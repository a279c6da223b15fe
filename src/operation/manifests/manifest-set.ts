import { createHash } from 'node:crypto';
import type { ChartContent } from '../../chart/load/chart-content.ts';
import { jsonText } from '../../objects/json-text.ts';
import type { Release } from '../../release/release.ts';
import type { ManifestObject, ReleaseRenderer, RenderedRelease } from '../../render/release-renderer.ts';
import { type Owner, withOwners } from '../apply/ownership.ts';
import { OperationError } from '../error.ts';

/** Name of the chart that all sets have, and no other release. */
const chartName = 'manifest-set';

const version = '1.0.0';

const chartFile = `apiVersion: v2
name: ${chartName}
version: ${version}
description: Plain manifests that helm-agent keeps as a release
`;

/** Prints the manifests as they are: `{{` in them has no meaning. */
const template = '{{ .Files.Get "manifests.yaml" }}';

/** Whether a release is a set of manifests, and not a chart that someone has deployed. */
export function isManifestSet({ chart }: Pick<Release, 'chart'>): boolean {
  return chart.metadata?.name === chartName;
}

/** Throws `ownership_conflict` if a release was deployed from a chart. */
export function requireManifestSet(release: Release): void {
  if (isManifestSet(release)) return;
  const chart = release.chart.metadata?.name ?? 'unknown';
  throw new OperationError(
    'ownership_conflict',
    `${release.name} in namespace ${release.namespace} is not a set of manifests, but a release of the chart ${JSON.stringify(chart)}; choose another name for the set, or upgrade or uninstall the release`,
  );
}

/**
 * Returns the chart of a set. Its `crds/` folder has the CRDs of the manifests with the metadata of
 * their owner, so that they can be created and established before the kinds that they define are
 * looked up. Throws `invalid_manifest` if the manifests cannot be read, or have no objects.
 */
export async function manifestSetChart(
  { readObjects }: Pick<ReleaseRenderer, 'readObjects'>,
  manifests: string,
  owner: Owner,
  signal: AbortSignal,
): Promise<ChartContent> {
  const objects = await readObjects(manifests, '', signal);
  if (objects.length === 0) throw new OperationError('invalid_manifest', 'the manifests have no objects');
  const crds = objects.filter(isCrd);
  const texts = {
    'Chart.yaml': chartFile,
    'templates/manifests.yaml': template,
    'manifests.yaml': manifests,
    ...(crds.length > 0 && { 'crds/crds.yaml': crdsText(crds, owner) }),
  };
  const files = Object.entries(texts).map(([name, text]) => ({ name, data: Buffer.from(text) }));
  const hash = createHash('sha256');
  for (const { name, data } of files) hash.update(`${name} ${data.length}\n`).update(data);
  return { name: chartName, version, digest: hash.digest('hex'), files };
}

/** Returns a rendered set without the files of its chart, which its manifest has already. */
export function withoutManifestFiles(rendered: RenderedRelease): RenderedRelease {
  return { ...rendered, chart: { ...rendered.chart, files: [] } };
}

function isCrd({ object: { apiVersion, kind } }: ManifestObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** JSON is YAML, too. */
function crdsText(crds: readonly ManifestObject[], owner: Owner): string {
  return withOwners(crds, owner)
    .map(({ object }) => `---\n${jsonText(object)}\n`)
    .join('');
}
