import type { ChartContent } from '../chart/load/chart-content.ts';
import type { ImageRules } from '../objects/images/rewrite-images.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Hook } from '../release/hook.ts';
import type { StoredChart } from '../release/stored-chart.ts';
import type { ValueWarning } from './notice.ts';
import type { RenderInput, RenderSettings } from './render-input.ts';

/** An argument of a value flag of Helm, and the contents of the files that it names. */
export interface SetValue {
  readonly kind: 'set' | 'set-string' | 'set-json' | 'set-literal' | 'set-file';
  readonly text: string;
  /** For `set-file`: contents by the path in the text. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** Values of the revision that an upgrade starts from, and how they are used. */
export interface StoredValues {
  /** Values that the user gave. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Name of the revision's chart, and its default values. */
  readonly chart: { readonly name: string; readonly values: Readonly<Record<string, unknown>> };
  /**
   * `if-none-given` uses {@link config} if a command gives no values. The others are Helm's
   * `--reuse-values` and `--reset-then-reuse-values` (pkg/action/upgrade.go: reuseValues).
   */
  readonly reuse: 'if-none-given' | 'with-defaults' | 'without-defaults';
}

/** Values that were read from an object of the cluster, or that were sealed. */
export interface ValuesSource {
  /** Where they come from, for errors: `valuesFrom[0]`. */
  readonly name: string;
  /** A YAML mapping, or one value if there is a {@link path}. */
  readonly text: string;
  /** The name of the value, as for `--set`. Default: the text has all names. */
  readonly path?: string | undefined;
  /** Whether they are not shown. */
  readonly isSecret: boolean;
}

/** The secret values of sources. */
export interface SecretValues {
  /** Where they are, as JSON pointers. */
  paths: string[];
  /** The texts and numbers among them. */
  texts: string[];
}

/** Values for a release that are not read here. */
export interface ReleaseValues {
  /** Values under {@link yaml}; later ones take precedence. Default: none. */
  readonly sources?: readonly ValuesSource[] | undefined;
  /** YAML texts of a command; later ones take precedence. Default: none. */
  readonly yaml?: string | readonly string[] | undefined;
  /** Values set over {@link yaml}, in Helm's order of the kinds. Default: none. */
  readonly set?: readonly SetValue[] | undefined;
  /** Values of an earlier revision. Default: none. */
  readonly stored?: StoredValues | undefined;
  /** Where the secret ones are, as JSON pointers. Default: none is secret. */
  readonly secretPaths?: readonly string[] | undefined;
}

/** A chart with all that its templates see of a release. */
export type ReleaseInput = RenderInput<ChartContent, ReleaseValues>;

/** How a chart is rendered for a release. */
export interface ReleaseSettings extends Omit<RenderSettings, 'notice'> {
  /** Leaves Secrets out of the manifest, but not out of the hooks, as in Helm. Default: false. */
  hideSecrets?: boolean | undefined;
  /** Puts the files of crds/ folders before the manifest, as they are. Default: false. */
  includeCrds?: boolean | undefined;
}

/** A rendered chart as a revision stores it. */
export interface RenderedRelease {
  /** The chart with its dependencies processed. */
  chart: StoredChart;
  /** Values given by the user. */
  config: Record<string, unknown>;
  /** All manifests but hooks, in installation order. */
  manifest: string;
  /** Number of documents in {@link manifest}. */
  manifestCount: number;
  hooks: Hook[];
  /** Text of NOTES.txt. Empty if the chart has none. */
  notes: string;
  /** Warnings that Helm logs while it merges values. */
  warnings: ValueWarning[];
  /** Where {@link config} has values that are not shown, as JSON pointers. Default: nowhere. */
  secretPaths?: readonly string[] | undefined;
  /** Whether the result may depend on the capabilities. */
  usesCapabilities: boolean;
}

/** One object of a manifest. */
export interface ManifestObject {
  object: KubeObject;
  /** Path of the template that rendered it; `manifest` or `document 3` if nothing names it. */
  source: string;
}

/** A file of a chart's crds/ folder. */
export interface CrdManifest {
  /** Path in the chart, such as `crds/widgets.yaml`. */
  name: string;
  objects: ManifestObject[];
}

/** Rules for images, and the namespace that has the pull secrets. */
export type NamespacedImageRules = ImageRules & { namespace: string };

/**
 * Reads and renders charts for releases without blocking the caller. Errors have a `code`, and a
 * `position` if a template causes them.
 */
export interface ReleaseRenderer {
  /** Returns the CRDs of the chart, then of the subcharts that these values enable. */
  crds(chart: ChartContent, values: ReleaseValues, signal: AbortSignal): Promise<CrdManifest[]>;
  render(request: ReleaseInput & ReleaseSettings, signal: AbortSignal): Promise<RenderedRelease>;
  /**
   * Returns the objects of a manifest; a `List` counts as its items. An object whose name the API
   * server generates has an empty one. Throws `invalid_manifest` with a message that begins with
   * `prefix`.
   */
  readObjects(manifest: string, prefix: string, signal: AbortSignal): Promise<readonly ManifestObject[]>;
  /** Returns manifests with the images and pull secrets that rules give them. */
  rewriteImages(manifests: readonly string[], rules: NamespacedImageRules, signal: AbortSignal): Promise<string[]>;
  /** Returns the values of the secret ones of some sources. Throws `values_invalid`. */
  secretValues(sources: readonly ValuesSource[], signal: AbortSignal): Promise<SecretValues>;
}
