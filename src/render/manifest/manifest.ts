import { trimLeftSpace } from '../../go/space.ts';
import { sortedKeys } from '../../go/text.ts';
import type { Hook } from '../../release/hook.ts';
import { hookTypesOf, readHook } from './hooks.ts';
import { compareForInstall } from './kind-order.ts';
import type { RenderNotice } from '../notice.ts';
import { readHead } from './manifest-head.ts';

/** One object of a release, as text. */
export interface Manifest {
  /** The template it came from: `web/templates/service.yaml`. */
  name: string;
  kind: string;
  /** One YAML document. */
  content: string;
}

export interface SortedManifests {
  /** In the order of installation. */
  manifests: Manifest[];
  /** In the order of installation by kind; operations order them by weight. */
  hooks: Hook[];
}

/**
 * Takes rendered files apart into manifests and hooks (pkg/release/v1/util/manifest_sorter.go).
 * `unreadable` makes the error for a document that is no manifest, out of its file and what YAML says; `notice` takes what Helm logs.
 */
export function sortManifests(
  files: ReadonlyMap<string, string>,
  unreadable: (path: string, cause: unknown) => Error,
  notice: (notice: RenderNotice) => void = () => undefined,
): SortedManifests {
  const manifests: Manifest[] = [];
  const hooks: Hook[] = [];
  for (const path of sortedKeys(files)) {
    for (const content of splitManifests(files.get(path) ?? '')) {
      const head = headOf(path, content);
      const hookTypes = hookTypesOf(head);
      if (hookTypes === undefined) {
        manifests.push({ name: path, kind: head.kind, content });
        continue;
      }
      const hook = readHook(path, content, head);
      if (hook) hooks.push(hook);
      else notice({ level: 'INFO', message: 'skipping unknown hooks', attributes: { hookTypes } });
    }
  }
  return {
    manifests: manifests.sort((a, b) => compareForInstall(a.kind, b.kind)),
    hooks: hooks.sort((a, b) => compareForInstall(a.kind, b.kind)),
  };

  function headOf(path: string, content: string) {
    try {
      return readHead(content);
    } catch (cause) {
      throw unreadable(path, cause);
    }
  }
}

/**
 * Splits a rendered file into its documents as Helm 4 does: wherever a line begins with `---`, whatever follows it
 * (pkg/release/v1/util/manifest.go). Blank documents are left out.
 */
export function splitManifests(text: string): string[] {
  return trimLeftSpace(text)
    .split(/(?<![^\n])---[ \t]*/)
    .map(trimLeftSpace)
    .filter((document) => document !== '');
}

/** The form in which Helm prints and stores a manifest. */
export function printManifest(path: string, content: string): string {
  return `---\n# Source: ${path}\n${content}\n`;
}
