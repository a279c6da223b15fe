import type { Chart } from '../chart/chart.ts';
import { fromBytes } from '../go/text.ts';
import { crdFiles } from '../render/manifest/documents.ts';
import { eachObject } from './each-object.ts';
import type { Report } from './finding.ts';

/** Lints the crds/ folder (pkg/chart/v2/lint/rules/crds.go). */
export function lintCrds(chart: Chart, report: Report): void {
  for (const { name, data } of crdFiles(chart)) {
    const isReadable = eachObject(fromBytes(data), name, report, ({ apiVersion, kind }) => {
      const isExtension = apiVersion.startsWith('apiextensions.k8s.io');
      report('ERROR', name, isExtension ? undefined : "apiVersion is not in 'apiextensions.k8s.io'");
      const isCrd = kind === 'CustomResourceDefinition';
      report('ERROR', name, isCrd ? undefined : "object kind is not 'CustomResourceDefinition'");
    });
    if (!isReadable) return;
  }
}
