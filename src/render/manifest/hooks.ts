import { hookEvents, type Hook } from '../../release/hook.ts';
import type { ManifestHead } from './head.ts';

const hookAnnotation = 'helm.sh/hook';
const weightAnnotation = 'helm.sh/hook-weight';
const deletePolicyAnnotation = 'helm.sh/hook-delete-policy';
const outputLogPolicyAnnotation = 'helm.sh/hook-output-log-policy';

const eventsByName: ReadonlyMap<string, string> = new Map([
  ...hookEvents.map((event) => [event, event] as const),
  ['test-success', 'test'],
]);

/** Returns the value of the hook annotation, unchecked; undefined if the manifest is not a hook. */
export function hookTypesOf(head: ManifestHead): string | undefined {
  return head.annotations.get(hookAnnotation);
}

/**
 * Returns the hook that a manifest describes; undefined if one of its events is unknown. Helm drops
 * such a manifest (pkg/release/v1/util/manifest_sorter.go).
 */
export function readHook(path: string, manifest: string, head: ManifestHead): Hook | undefined {
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
