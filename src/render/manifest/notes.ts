import type { Chart } from '../../chart/chart.ts';

const notesFile = 'NOTES.txt';

/**
 * Removes every NOTES.txt from the rendered files and returns the text of the chart's own. With
 * `subchartNotes`, returns all of them, ordered by path (pkg/action/action.go: renderResources,
 * where the order is random).
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
