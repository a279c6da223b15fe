import { fromBytes } from '../../go/text.ts';
import type { Rendered } from '../render-chart.ts';

/** What a chart renders to. */
export interface RenderedChart {
  /** All manifests but hooks and CRDs, in the order of installation, as Helm prints and stores them. */
  manifest: string;
  /** The same one by one. */
  manifests: RenderedManifest[];
  /** In the order of installation by kind; Helm runs the hooks of an event in the order of their weights. */
  hooks: RenderedHook[];
  /** NOTES.txt; empty where there is none. */
  notes: string;
  /** The files of crds/ of the chart and of its enabled subcharts, the parent's first. They are in no manifest. */
  crds: RenderedFile[];
  /** What merging the values found odd, as Helm logs it. */
  warnings: string[];
}

export interface RenderedFile {
  /** With the chart's name: `web/templates/service.yaml`, `web/charts/db/crds/users.yaml`. */
  path: string;
  content: string;
}

/** One YAML document, and the template that it is from. */
export interface RenderedManifest extends RenderedFile {
  kind: string;
}

/** A manifest with the annotation `helm.sh/hook`. */
export interface RenderedHook extends RenderedManifest {
  name: string;
  /** `pre-install`, `post-upgrade`, `test`, … */
  events: string[];
  /** Default 0. */
  weight: number;
  /** `before-hook-creation`, `hook-succeeded`, `hook-failed`. */
  deletePolicies: string[];
  /** `hook-succeeded`, `hook-failed`. */
  outputLogPolicies: string[];
}

/** A render as users of the library see it. */
export function shown({ manifest, manifests, hooks, notes, crds, warnings }: Rendered): RenderedChart {
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
    warnings,
  };
}
