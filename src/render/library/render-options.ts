import type { Chart } from '../../chart/chart.ts';
import type { ValueMap } from '../../go/value.ts';
import { knownApiVersions } from '../scope/api-versions.ts';
import {
  defaultHelmVersion,
  defaultKubeVersion,
  parseKubeVersion,
  type Capabilities,
  type HelmVersion,
} from '../scope/capabilities.ts';
import type { ReleaseFacts } from '../scope/chart-templates.ts';
import type { RenderLimits } from '../limits.ts';
import type { Lookup } from '../scope/lookup-rounds.ts';
import type { PostRender, PostRenderStrategy } from '../manifest/post-render.ts';
import type { RenderOptions } from '../render-chart.ts';
import { givenValues, type ValueInput } from './given-values.ts';

/** How a chart is rendered. What is left out is as for `helm template`. */
export interface RenderChartOptions extends ValueInput {
  /** What `.Release` says. Default: `release-name` in the namespace `default`, its first revision, being installed. */
  release?: {
    name?: string;
    namespace?: string;
    revision?: number;
    /** Default false: it is an installation. */
    isUpgrade?: boolean;
  };
  /** What `.Capabilities` says, and what the chart's `kubeVersion` is held against. */
  capabilities?: {
    /** Default `v1.36.0`. */
    kubeVersion?: string;
    /** `group/version` and `group/version/Kind`. Default {@link knownApiVersions}. */
    apiVersions?: readonly string[];
    /** Default Helm 4.2.4. */
    helmVersion?: HelmVersion;
  };
  /** Answers the templates' `lookup`. Default: lookups find nothing. A chart is rendered again with the answers, ten times at most. */
  lookup?: Lookup;
  /** Changes the manifests before they are taken apart, NOTES.txt excepted. Default none. */
  postRender?: PostRender;
  /** How `postRender` gets hooks. Default `combined`, as in Helm 4. */
  postRenderStrategy?: PostRenderStrategy;
  /** NOTES.txt of subcharts too. Default false. */
  subchartNotes?: boolean;
  /** Do not hold the values against values.schema.json. Default false. */
  skipSchemaValidation?: boolean;
  /** Texts of schemas by address (without fragment), which a values.schema.json may refer to. Default: none; references to other hosts and files are refused, as nothing is ever fetched. */
  remoteSchemas?: Readonly<Record<string, string>>;
  /** A key that is not there is an error (Helm's lint is strict in this way). Default false. */
  strict?: boolean;
  /** `required` and `fail` let pass, and lookups find nothing. Default false. */
  lint?: boolean;
  /** Whether the chart and its subcharts may use Nunjucks. Default false: that is an error, `engine_forbidden`. */
  allowNunjucks?: boolean;
  /** Ends the render: in a thread at once, otherwise between two of its rounds. */
  signal?: AbortSignal;
}

/** What the engine is asked for. */
export interface RenderQuestion {
  chart: Chart;
  values: ValueMap;
  release: ReleaseFacts;
  capabilities: Capabilities;
  options: RenderOptions;
}

/** Fills in the defaults. Throws ValuesError, and `kube_version_invalid`. */
export function questionOf(chart: Chart, options: RenderChartOptions, limits: RenderLimits): RenderQuestion {
  const {
    release = {},
    capabilities = {},
    subchartNotes,
    skipSchemaValidation,
    remoteSchemas = {},
    strict,
    lint,
  } = options;
  const { name = 'release-name', namespace = 'default', revision = 1, isUpgrade = false } = release;
  const {
    kubeVersion = defaultKubeVersion,
    apiVersions = knownApiVersions,
    helmVersion = defaultHelmVersion,
  } = capabilities;
  return {
    chart,
    values: givenValues(options),
    release: { name, namespace, revision, isInstall: !isUpgrade, isUpgrade },
    capabilities: { kubeVersion: parseKubeVersion(kubeVersion), apiVersions, helmVersion },
    options: {
      subchartNotes: subchartNotes ?? false,
      skipSchemaValidation: skipSchemaValidation ?? false,
      remoteSchemas,
      strict: strict ?? false,
      lint: lint ?? false,
      allowNunjucks: options.allowNunjucks ?? false,
      limits,
    },
  };
}
