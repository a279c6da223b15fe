import { parseUrl } from '../functions/support/net-url.ts';
import { openError } from '../go/file-error.ts';
import { fromBytes } from '../go/text.ts';

/**
 * Reads values from a path, from stdin for `-`, or from a URL (pkg/cli/values/options.go:
 * readFile). Throws an error with Go's text if a path cannot be read, or `SourceError`.
 */
export async function readValueFile(path: string, readFile: (path: string) => Promise<Uint8Array>): Promise<string> {
  if (path.trim() !== '-' && ['http', 'https'].includes(parseUrl(path).scheme)) {
    const { fetchText } = await import('../source/http/download.ts'); // few values come from a URL
    return fetchText(path, 'the file of values', new AbortController().signal);
  }
  try {
    return fromBytes(await readFile(path));
  } catch (error) {
    throw openError(path, error);
  }
}
