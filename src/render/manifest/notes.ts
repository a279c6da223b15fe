import type { Chart } from '../../chart/chart.ts';

const notesFile = 'NOTES.txt';

/**
 * Takes NOTES.txt out of the rendered files, subcharts' too, and returns the text: the chart's own; with `subchartNotes` all of them, in the order of their
 * paths (pkg/action/action.go: renderResources, where the order is Go's random one).
 */
export function takeNotes(files: Map<string, string>, chart: Chart, subchartNotes: boolean): string {
  const paths = [...files.keys()].filter((path) => path.endsWith(notesFile)).sort();
  const own = `${chart.metadata.name}/templates/${notesFile}`;
  let notes = '';
  for (const path of paths) {
    if (subchartNotes || path === own) notes += (notes === '' ? '' : '\n') + (files.get(path) ?? '');
    files.delete(path);
  }
  return notes;
}
