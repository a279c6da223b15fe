import * as z from 'zod';
import { sanitize } from '../../chart/metadata/sanitize.ts';
import { parseVersion, type VersionParts } from '../../go/semver.ts';
import type { ChartVersion } from '../select-version.ts';

/** One version of a chart in the index of a repository. */
export interface IndexedVersion extends ChartVersion {
  /** Locations of the archive, of which the first is used. May be relative to the repository. */
  readonly urls: readonly string[];
  /** SHA-256 of the archive; empty if the index has none. */
  readonly digest: string;
  readonly appVersion: string;
  readonly description: string;
  readonly keywords: readonly string[];
}

const entrySchema = z.object({
  name: z.string().refine((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('/')),
  version: z.string().transform(readVersion),
  type: z.enum(['', 'application', 'library']).nullish(),
  maintainers: z.array(z.object({})).nullish(),
  dependencies: z
    .array(
      z.object({
        alias: z
          .string()
          .regex(/^[a-zA-Z0-9_-]*$/)
          .nullish(),
      }),
    )
    .nullish(),
  urls: z.array(z.string()).nullish(),
  digest: z.string().nullish(),
  appVersion: z.string().nullish(),
  description: z.string().nullish(),
  keywords: z.array(z.string().nullable()).nullish(),
});

function readVersion(version: string, context: z.RefinementCtx): VersionParts {
  try {
    return parseVersion(version);
  } catch {
    context.addIssue('not a semantic version');
    return z.NEVER;
  }
}

/**
 * Reads an entry. Returns undefined for an entry that Helm skips because its name, version, type,
 * maintainers or dependencies are invalid.
 */
export function readEntry(entry: unknown): IndexedVersion | undefined {
  const { data } = entrySchema.safeParse(entry);
  if (data === undefined) return undefined;
  return {
    version: data.version.original,
    parts: data.version,
    urls: data.urls ?? [],
    digest: data.digest ?? '',
    appVersion: sanitize(data.appVersion ?? ''),
    description: sanitize(data.description ?? ''),
    keywords: (data.keywords ?? []).map((keyword) => sanitize(keyword ?? '')),
  };
}
