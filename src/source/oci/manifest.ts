import { isJsonObject } from '../../objects/fields.ts';
import { parsedJson } from '../../objects/json-text.ts';
import { SourceError } from '../source-error.ts';

/** Types of the parts of a chart in a registry. */
export const chartMediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  config: 'application/vnd.cncf.helm.config.v1+json',
  content: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  /** Of charts that were pushed by early versions of Helm. */
  oldContent: 'application/tar+gzip',
  provenance: 'application/vnd.cncf.helm.chart.provenance.v1.prov',
} as const;

/** Reads an object from a registry. `what` names it in errors. Throws {@link SourceError}. */
export function parseObject(data: Buffer, what: string): Record<string, unknown> {
  const value = parsedJson(data.toString());
  if (!isJsonObject(value)) throw notJson(what);
  return value;
}

/** Returns the error for a response that is not what it should be. */
export function notJson(what: string): SourceError {
  return new SourceError('repository_invalid', `the registry's response is not ${what}; check the chart's URL`);
}
