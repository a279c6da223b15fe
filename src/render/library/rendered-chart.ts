import { fromBytes } from '../../go/text.ts';
import { valueWarningText } from '../notice.ts';
import type { RenderResult } from '../render-result.ts';

/** Result of a render. */
export interface RenderedChart {
  /** All manifests except hooks and CRDs, in installation order, as Helm prints and stores them. */
  manifest: string;
  /** The same manifests as a list. */
  manifests: RenderedManifest[];
  /** Hooks in installation order of their kinds. Helm runs the hooks of an event by weight. */
  hooks: RenderedHook[];
  /** Text of NOTES.txt. Empty if the chart has none. */
  notes: string;
  /** Files in crds/ of the chart, then of its enabled subcharts. Not part of `manifest`. */
  crds: RenderedFile[];
  /** Warnings that Helm logs while it merges values. */
  warnings: string[];
}

export interface RenderedFile {
  /** Path with the chart's name: `web/templates/service.yaml`, `web/charts/db/crds/users.yaml`. */
  path: string;
  content: string;
}

/** One YAML document and the path of its template. */
export interface RenderedManifest extends RenderedFile {
  kind: string;
}

/** A manifest with the annotation `helm.sh/hook`. */
export interface RenderedHook extends RenderedManifest {
  name: string;
  /** Events such as `pre-install`, `post-upgrade` or `test`. */
  events: string[];
  /** Default: 0. */
  weight: number;
  /** Any of `before-hook-creation`, `hook-succeeded` and `hook-failed`. */
  deletePolicies: string[];
  /** Any of `hook-succeeded` and `hook-failed`. */
  outputLogPolicies: string[];
}

/** Returns a render in the form that the library exposes. */
export function toRenderedChart({ manifest, manifests, hooks, notes, crds, warnings }: RenderResult): RenderedChart {
  return {
    manifest,
    manifests: manifests.map(({ name, kind, content }) => ({ path: name, kind, content })),
    hooks: hooks.map((hook) => ({
      path: hook.path,
      kind: hook.kind,
      name: hook.name,
      content: hook.manifest,
      events: [...hook.events],
      weight: hook.weight ?? 0,
      deletePolicies: [...(hook.delete_policies ?? [])],
      outputLogPolicies: [...(hook.output_log_policies ?? [])],
    })),
    notes,
    crds: crds.map(({ filename, data }) => ({ path: filename, content: fromBytes(data) })),
    warnings: warnings.map(valueWarningText),
  };
}
