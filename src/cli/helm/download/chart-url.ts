import { parseUrl } from '../../../functions/support/net-url.ts';
import { GoError } from '../../../go/value.ts';

/** Reads the URL of a chart or a repository as Go does. Throws Helm's error if it is not valid. */
export function parseChartUrl(url: string) {
  try {
    return parseUrl(url);
  } catch (cause) {
    if (!(cause instanceof GoError)) throw cause;
    throw new Error(`invalid chart URL format: ${url}`, { cause });
  }
}
