import { parseVersion } from '../../go/semver.ts';
import { GoError } from '../../go/value.ts';
import { SourceError } from '../source-error.ts';

/** A chart in a registry, as `oci://host/repository[:tag][@digest]` names it. */
export interface ChartReference {
  /** Host, and port where there is one. */
  readonly host: string;
  readonly repository: string;
  /** As a version is written: with a plus. Empty where there is none. */
  readonly tag: string;
  /** Empty where there is none. */
  readonly digest: string;
}

const form =
  /^oci:\/\/([a-z0-9.-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([\w][\w.+-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$/i;

/** Reads a reference. Throws {@link SourceError}. */
export function parseReference(text: string): ChartReference {
  const [, host, repository, tag = '', digest = ''] = form.exec(text) ?? [];
  if (host === undefined || repository === undefined) {
    throw new SourceError(
      'invalid_repository_url',
      "the chart's address is none of a registry; it has the form oci://host/path/name, and may end with :VERSION or @sha256:DIGEST",
    );
  }
  return { host, repository, tag, digest };
}

/** The registry's form of a version, which may not have a plus. */
export function tagOf(version: string): string {
  return version.replaceAll('+', '_');
}

/** Whether a wanted version names one alone, so that no list of tags is needed. */
export function isVersion(text: string): boolean {
  try {
    parseVersion(text);
    return true;
  } catch (error) {
    if (error instanceof GoError) return false;
    throw error;
  }
}
