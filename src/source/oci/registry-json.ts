import { isJsonObject } from '../../objects/fields.ts';
import { SourceError } from '../source-error.ts';

/** Reads an object from a registry. `what` names it in errors. Throws {@link SourceError}. */
export function parseObject(data: Buffer, what: string): Record<string, unknown> {
  const value = parseJson(data);
  if (!isJsonObject(value)) throw notJson(what);
  return value;
}

/** Returns the error for a response that is not what it should be. */
export function notJson(what: string): SourceError {
  return new SourceError('repository_invalid', `the registry's response is not ${what}; check the chart's URL`);
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined; // not an object, so it is refused
  }
}
