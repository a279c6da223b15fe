import type { Chart } from '../../chart/chart.ts';

/** A file of a chart's crds/ folder. */
export interface CrdFile {
  /** `crds/widgets.yaml`. */
  name: string;
  /** With the path of the chart that brings it: `parent/charts/child/crds/widgets.yaml`. */
  filename: string;
  data: Uint8Array;
}

/** The CRD files of a chart and of its subcharts, the parent's first (pkg/chart/v2/chart.go: CRDObjects). */
export function crdFiles(chart: Chart, path = chart.metadata.name): CrdFile[] {
  const own = chart.files
    .filter(({ name }) => name.startsWith('crds/') && /\.(?:ya?ml|json)$/i.test(name))
    .map(({ name, data }) => ({ name, filename: `${path}/${name}`, data }));
  return [...own, ...chart.dependencies.flatMap((child) => crdFiles(child, `${path}/charts/${child.metadata.name}`))];
}
