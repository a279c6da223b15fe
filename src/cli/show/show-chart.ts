import type { Chart } from '../../chart/chart.ts';
import { chartYaml } from '../../chart/metadata/write-metadata.ts';
import { fromBytes } from '../../go/text.ts';
import { evaluateJsonPath } from '../../jsonpath/evaluate.ts';
import { JsonPathError, parseJsonPath } from '../../jsonpath/parse.ts';
import { crdFiles } from '../../render/manifest/documents.ts';

/** The parts of a chart that can be shown. */
export type ShowTopic = 'all' | 'chart' | 'crds' | 'readme' | 'values';

const readmeNames = ['readme.md', 'readme.txt', 'readme'];

/** Returns what `helm show` prints (pkg/action/show.go). */
export function showChart(chart: Chart, topic: ShowTopic): string {
  const all = topic === 'all';
  const rule = all ? '---\n' : '';
  let text = '';
  if (all || topic === 'chart') text += `${chartYaml(chart.metadata)}\n`;
  if ((all || topic === 'values') && chart.valuesFile) text += `${rule}${fromBytes(chart.valuesFile)}\n`;
  const readme = chart.files.find(({ name }) => readmeNames.includes(name.toLowerCase()));
  if ((all || topic === 'readme') && readme) text += `${rule}${fromBytes(readme.data)}\n`;
  if (all || topic === 'crds')
    text += crdFiles(chart)
      .map(({ data }) => crdText(fromBytes(data)))
      .join('');
  return text;
}

function crdText(text: string): string {
  return `${text.startsWith('---') ? '' : '---\n'}${text}\n`;
}

/**
 * Returns what a JSONPath template prints for a chart's values. Throws an error with Helm's text if
 * it is not valid.
 */
export function showValuesBy(template: string, chart: Chart): string {
  try {
    return evaluateJsonPath(parseJsonPath(template), chart.values);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new Error(`error parsing jsonpath ${template}: ${error.message}`, { cause: error });
  }
}
