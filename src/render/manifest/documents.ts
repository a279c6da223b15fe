import { trimLeftSpace } from '../../go/space.ts';

/**
 * Splits a rendered file into its documents as Helm 4 does: at every line that begins with `---`,
 * even if text follows (pkg/release/v1/util/manifest.go). Blank documents are left out.
 */
export function splitDocuments(text: string): string[] {
  return trimLeftSpace(text)
    .split(/(?<![^\n])---[ \t]*/)
    .map(trimLeftSpace)
    .filter((document) => document !== '');
}

/** Returns a document in the form in which Helm prints and stores manifests. */
export function printManifest(path: string, content: string): string {
  return `---\n# Source: ${path}\n${content}\n`;
}
