import type { Chart } from '../../chart/chart.ts';
import { trimLeftSpace } from '../../go/space.ts';

/**
 * Splits a rendered file into its documents as Helm 4 does: at every line that begins with `---`,
 * even if text follows (pkg/release/v1/util/manifest.go). Blank documents are left out.
 */
export function splitDocuments(text: string): string[] {
  return trimLeftSpace(text)
    .split(/(?<![^\n])---[ \t]*/)
    .map(trimLeftSpace)
    .filter((document) => document !== '');
}

/** Returns a document in the form in which Helm prints and stores manifests. */
export function printManifest(path: string, content: string): string {
  return `---\n# Source: ${path}\n${content}\n`;
}

/** A file of a chart's crds/ folder. */
export interface CrdFile {
  /** Path in the chart, such as `crds/widgets.yaml`. */
  name: string;
  /** Path with the chart's path in front: `parent/charts/child/crds/widgets.yaml`. */
  filename: string;
  data: Uint8Array;
}

/**
 * Returns the CRD files of a chart, then those of its subcharts (pkg/chart/v2/chart.go:
 * CRDObjects).
 */
export function crdFiles(chart: Chart, path = chart.metadata.name): CrdFile[] {
  const own = chart.files
    .filter(({ name }) => name.startsWith('crds/') && /\.(?:ya?ml|json)$/i.test(name))
    .map(({ name, data }) => ({ name, filename: `${path}/${name}`, data }));
  return [...own, ...chart.dependencies.flatMap((child) => crdFiles(child, `${path}/charts/${child.metadata.name}`))];
}
