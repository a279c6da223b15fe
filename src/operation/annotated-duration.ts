import { parseDuration } from '../go/duration.ts';
import type { KubeObject } from '../objects/object.ts';
import { OperationError } from './error.ts';

/** The longest text of a duration, in UTF-16 units, as in commands. */
const maxLength = 64;

/**
 * Returns the milliseconds of an annotation with a Go duration, or undefined without it. Throws
 * `invalid_manifest`, with the name of its owner, if it is not a duration above 0.
 */
export function annotatedDuration(annotation: string, { metadata }: KubeObject, owner: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  const milliseconds = millisecondsOf(text);
  if (milliseconds !== undefined && milliseconds > 0) return milliseconds;
  const shown = text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
  const problem = `the annotation ${annotation} is ${JSON.stringify(shown)}`;
  throw new OperationError('invalid_manifest', `${owner}: ${problem}; give a duration above 0, such as 90s`);
}

function millisecondsOf(text: string): number | undefined {
  if (text.length > maxLength) return undefined;
  try {
    return Number(parseDuration(text) / 1_000_000n);
  } catch {
    return undefined;
  }
}
