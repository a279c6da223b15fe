import type { Release as AnsweredRelease } from '../../../protocol/release.ts';
import type { Release } from '../../../release/release.ts';
import { releaseSchema } from '../../../release/schema.ts';
import type { Terminal } from '../../dependencies.ts';
import { printable } from '../../text.ts';
import { readAs } from '../read-as.ts';

/** Returns the release of an answer. Throws if the packet had no room for one of the fields. */
export function releaseOf(
  { release, omitted = [] }: { release: AnsweredRelease; omitted?: string[] | undefined },
  needed: readonly string[] = [],
): Release {
  const missing = needed.filter((field) => omitted.includes(field));
  if (missing.length > 0)
    throw new Error(`the release is too large for a packet; it came without ${missing.join(', ')}`);
  return readAs(releaseSchema, release, 'release');
}

/** Returns foreign text for stdout: as it is for files and pipes, and harmless for a terminal. */
export function shown(text: string, { isTerminal }: Terminal): string {
  return isTerminal ? printable(text) : text;
}
