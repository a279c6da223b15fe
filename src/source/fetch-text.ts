import { fromBytes } from '../go/text.ts';
import { sourceDefaults } from './chart-source.ts';
import { targetOf } from './credentials.ts';
import { download } from './download.ts';
import { parseRepositoryUrl } from './repository-url.ts';

/** Downloads a text, of the size of a repository's index at most; `what` it is stands in errors. Throws {@link SourceError}, or the signal's reason. */
export async function fetchText(address: string, what: string, signal: AbortSignal): Promise<string> {
  const { timeoutMs, maxIndexBytes } = sourceDefaults;
  const target = targetOf(parseRepositoryUrl(address));
  return fromBytes(await download(target, { what, maxBytes: maxIndexBytes, timeoutMs }, signal));
}
