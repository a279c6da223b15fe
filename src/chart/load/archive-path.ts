import { posix } from 'node:path';
import { quote } from '../../go/strconv.ts';
import { ChartError } from '../chart-error.ts';

/**
 * Returns an archive entry's path relative to the chart's folder, which is its first part. Throws
 * {@link ChartError} with Helm's texts if the path leads outside
 * (pkg/chart/loader/archive/archive.go: LoadArchiveFiles).
 */
export function archivePath(entry: string): string {
  // archives made on Windows have backslashes
  const parts = entry.split(entry.includes('\\') ? '\\' : '/');
  const path = parts.slice(1).join('/');
  if (path.startsWith('/')) throw invalid('chart illegally contains absolute paths');
  const name = posix.normalize(path).replace(/(?<=.)\/$/, '');
  if (name === '.') throw invalid(`chart illegally contains content outside the base directory: ${quote(entry)}`);
  if (name.startsWith('..')) throw invalid('chart illegally references parent directory');
  if (/^[a-zA-Z]:\//.test(name)) throw invalid('chart contains illegally named files');
  if (parts[0] === 'Chart.yaml') throw invalid('chart yaml not in base directory');
  return name;
}

function invalid(text: string): ChartError {
  return new ChartError('chart_invalid', text);
}
