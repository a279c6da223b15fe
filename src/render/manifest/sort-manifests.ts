import { sortedKeys } from '../../go/text.ts';
import { type Hook, hookEvents } from '../../release/hook.ts';
import type { RenderNotice } from '../notice.ts';
import { splitDocuments } from './documents.ts';
import { type ManifestHead, readHead } from './head.ts';
import { compareForInstall } from './kind-order.ts';

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

/** Returns the manifest without the content of a Secret (pkg/action/action.go: renderResources). */
export function withoutSecret(manifest: Manifest): Manifest {
  const isSecret = manifest.kind === 'Secret' && readHead(manifest.content).apiVersion === 'v1';
  return isSecret ? { ...manifest, content: '# HIDDEN: The Secret output has been suppressed' } : manifest;
}

const hookAnnotation = 'helm.sh/hook';

const weightAnnotation = 'helm.sh/hook-weight';

const deletePolicyAnnotation = 'helm.sh/hook-delete-policy';

const outputLogPolicyAnnotation = 'helm.sh/hook-output-log-policy';

const eventsByName: ReadonlyMap<string, string> = new Map([
  ...hookEvents.map((event) => [event, event] as const),
  ['test-success', 'test'],
]);

/** Returns the value of the hook annotation, unchecked; undefined if the manifest is not a hook. */
function hookTypesOf(head: ManifestHead): string | undefined {
  return head.annotations.get(hookAnnotation);
}

/**
 * Returns the hook that a manifest describes; undefined if one of its events is unknown. Helm drops
 * such a manifest (pkg/release/v1/util/manifest_sorter.go).
 */
function readHook(path: string, manifest: string, head: ManifestHead): Hook | undefined {
  const events = listOf(head, hookAnnotation).map((name) => eventsByName.get(name));
  if (!events.every((event) => event !== undefined)) return undefined;
  return {
    name: head.name,
    kind: head.kind,
    path,
    manifest,
    events,
    last_run: { phase: '' },
    weight: weightOf(head.annotations.get(weightAnnotation) ?? ''),
    delete_policies: listOf(head, deletePolicyAnnotation),
    output_log_policies: listOf(head, outputLogPolicyAnnotation),
  };
}

function listOf(head: ManifestHead, annotation: string): string[] {
  const value = head.annotations.get(annotation);
  return value === undefined ? [] : value.split(',').map((item) => item.trim().toLowerCase());
}

/** Parses like Go's `strconv.Atoi`; returns 0 if the text is not an integer. */
function weightOf(text: string): number {
  const weight = /^[+-]?[0-9]+$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(weight) ? weight : 0;
}
