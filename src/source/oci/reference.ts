import { SourceError } from '../source-error.ts';

/** The parts of a chart's URL in a registry: `oci://host/repository[:tag][@digest]`. */
export interface ChartReference {
  /** Host, with its port if there is one. */
  readonly host: string;
  readonly repository: string;
  /** In the form of a version, with a plus. Empty if there is none. */
  readonly tag: string;
  /** Empty if there is none. */
  readonly digest: string;
}

const referencePattern =
  /^oci:\/\/([a-z0-9.-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?)\/([a-z0-9]+(?:(?:\.|_{1,2}|-+|\/)[a-z0-9]+)*)(?::([\w][\w.+-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$/i;

/** Reads the URL of a chart in a registry. Throws {@link SourceError}. */
export function parseReference(text: string): ChartReference {
  const [, host, repository, tag = '', digest = ''] = referencePattern.exec(text) ?? [];
  if (host === undefined || repository === undefined) {
    // The text is not shown: it may contain a password.
    throw new SourceError(
      'invalid_repository_url',
      "the chart's URL is not valid; a chart in a registry has the form oci://host/path/name, optionally followed by :VERSION or @sha256:DIGEST",
    );
  }
  return { host, repository, tag, digest };
}

/** Returns the tag for a version: tags cannot contain a plus. */
export function tagOf(version: string): string {
  return version.replaceAll('+', '_');
}
