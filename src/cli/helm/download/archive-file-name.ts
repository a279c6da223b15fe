import { posix } from 'node:path';
import { quote } from '../../../go/strconv.ts';
import { decodePercents, shownUrl } from '../../../source/http/http-url.ts';

/**
 * Returns the name that Helm gives the file of a downloaded archive: the last part of its URL,
 * which the index of a repository can choose. Unlike Helm, refuses hidden files, and names with
 * characters that lead out of a folder or cannot be shown.
 */
export function archiveFileName(url: URL): string {
  const name = posix.basename(decodePercents(url.pathname));
  if (/^[^\\/.][^\\/]*$/.test(name) && !/\p{C}/u.test(name)) return name;
  throw new Error(`the URL ${shownUrl(url)} does not end with the name of a file: ${quote(name)} is not allowed`);
}

/** Whether a file is certainly an archive, or the signature of one, by its name. */
export function isArchiveName(name: string): boolean {
  return /\.(?:tgz|tar\.gz)(?:\.prov)?$/i.test(name);
}
