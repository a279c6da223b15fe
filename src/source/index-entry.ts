import { z } from 'zod';
import { parseVersion, type VersionParts } from '../go/semver.ts';

/** One version of a chart, as the index of a repository has it. */
export interface IndexedVersion {
  readonly version: string;
  readonly parts: VersionParts;
  /** Where the archive is; the first counts. May be relative to the repository. */
  readonly urls: readonly string[];
  /** sha256 of the archive; empty where the index has none. */
  readonly digest: string;
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
});

function readVersion(version: string, context: z.RefinementCtx): VersionParts {
  try {
    return parseVersion(version);
  } catch {
    context.addIssue('no semantic version');
    return z.NEVER;
  }
}

/** Reads an entry; undefined where Helm would skip it: its name, version, type, maintainers or dependencies are none of a chart. */
export function readEntry(entry: unknown): IndexedVersion | undefined {
  const { data } = entrySchema.safeParse(entry);
  if (data === undefined) return undefined;
  return { version: data.version.original, parts: data.version, urls: data.urls ?? [], digest: data.digest ?? '' };
}
