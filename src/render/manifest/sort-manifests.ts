import { sortedKeys } from '../../go/text.ts';
import type { Hook } from '../../release/hook.ts';
import { splitDocuments } from './documents.ts';
import { hookTypesOf, readHook } from './hooks.ts';
import { readHead } from './head.ts';
import { compareForInstall } from './kind-order.ts';
import type { RenderNotice } from '../notice.ts';

/** One object of a release, as text. */
export interface Manifest {
  /** Path of its template, such as `web/templates/service.yaml`. */
  name: string;
  kind: string;
  /** One YAML document. */
  content: string;
}

export interface SortedManifests {
  /** Manifests in installation order. */
  manifests: Manifest[];
  /** Hooks in installation order of their kinds. Operations order them by weight. */
  hooks: Hook[];
}

/**
 * Splits rendered files into manifests and hooks (pkg/release/v1/util/manifest_sorter.go).
 * @param unreadable returns the error for a document in file `path` that cannot be read
 * @param notice receives what Helm logs
 */
export function sortManifests(
  files: ReadonlyMap<string, string>,
  unreadable: (path: string, cause: unknown) => Error,
  notice: (notice: RenderNotice) => void = () => undefined,
): SortedManifests {
  const manifests: Manifest[] = [];
  const hooks: Hook[] = [];
  for (const path of sortedKeys(files)) {
    for (const content of splitDocuments(files.get(path) ?? '')) {
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
