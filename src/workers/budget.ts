import type { Chart } from '../chart/chart.ts';
import { smallNodes } from './large-texts.ts';
import type { TextLimits } from './limits.ts';
import { createNodeCounter, type NodeCounter } from './node-counter.ts';
import { TextError } from './text-error.ts';

/** @param subject start of the error: `the manifest has` */
export function requireObjectCount(count: number, { objects }: TextLimits, subject: string): void {
  if (count > objects) throw tooLarge(`${subject} more than ${objects} objects`);
}

/** Refuses rendered files that are larger than a manifest may be. */
export function requireManifestBytes(files: ReadonlyMap<string, string>, { manifestBytes }: TextLimits): void {
  let bytes = 0;
  for (const [file, text] of files) {
    bytes += Buffer.byteLength(text);
    if (bytes > manifestBytes) throw tooLarge(`${file}: the chart renders more than ${manifestBytes} bytes`, { file });
  }
}

/** Refuses a chart whose files alone are larger than a release may be. */
export function requireStorable(chart: Chart, { releaseBytes }: TextLimits): void {
  if (storedBytes(chart) > releaseBytes)
    throw tooLarge(`a release with the files of the chart has more than ${releaseBytes} bytes`);
}

/** Returns the size of the chart's files in a release, where they are in base64. */
export function storedBytes({ templates, files }: Chart): number {
  const bytes = [...templates, ...files].reduce((sum, { data }) => sum + data.length, 0);
  return Math.ceil(bytes / 3) * 4;
}

/** @param subject start of the error: `the stored release has` */
export function countValueNodes(subject: string, { valueNodes }: TextLimits): NodeCounter {
  return countNodes(subject, valueNodes);
}

/**
 * Counts the nodes of objects. Unless the task may be large, too many for a small one are a
 * `large_text`.
 */
export function countObjectNodes(subject: string, { nodes }: TextLimits, mayBeLarge: boolean): NodeCounter {
  return mayBeLarge || nodes <= smallNodes ? countNodes(subject, nodes) : createNodeCounter(smallNodes, largeText);
}

/** Returns the error of a task that must wait for its turn as a large one. */
export function largeText(): TextError {
  return new TextError('large_text', `the text is large`);
}

function countNodes(subject: string, most: number): NodeCounter {
  return createNodeCounter(most, () => tooLarge(`${subject} more than ${most} nodes`));
}

function tooLarge(message: string, position?: { file: string }): TextError {
  return new TextError('too_large', message, position);
}
