import { posix } from 'node:path';
import { formatUrl, parseUrl } from '../../../functions/support/net-url.ts';
import { GoError } from '../../../go/value.ts';

/** Whether two URLs are the same apart from slashes and dots in their paths (internal/urlutil). */
export function equalUrls(a: string, b: string): boolean {
  return normalUrl(a) === normalUrl(b);
}

function normalUrl(text: string): string {
  try {
    const url = parseUrl(text);
    const path = posix.normalize(url.path || '/');
    return formatUrl({ ...url, path: path.replace(/(?<=.)\/$/, '') });
  } catch (error) {
    if (error instanceof GoError) return posix.normalize(text);
    throw error;
  }
}
