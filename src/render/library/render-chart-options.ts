import type { Chart } from '../../chart/chart.ts';
import type { RenderLimits } from '../limits.ts';
import type { RenderInput, RenderOptions, RenderSettings } from '../render-input.ts';
import { knownApiVersions } from '../scope/api-versions.ts';
import { defaultKubeVersion, parseKubeVersion } from '../scope/capabilities.ts';
import { defaultHelmVersion, type HelmVersion } from '../scope/helm-version.ts';
import { givenLookup } from './given-lookup.ts';
import { givenValues, type ValueInput } from './given-values.ts';

/** Options of a render. Defaults are those of `helm template`. */
export interface RenderChartOptions
  extends
    ValueInput,
    Omit<RenderOptions, 'limits'>,
    Pick<RenderSettings, 'lookup' | 'postRender' | 'postRenderStrategy'> {
  /** Value of `.Release`. Default: the first revision of `release-name` in `default`, installed. */
  release?: {
    name?: string;
    namespace?: string;
    revision?: number;
    /** True for an upgrade. Default: false, an installation. */
    isUpgrade?: boolean;
  };
  /** Value of `.Capabilities`. The chart's `kubeVersion` is checked against it. */
  capabilities?: {
    /** Default: `v1.36.0`. */
    kubeVersion?: string;
    /** List of `group/version` and `group/version/Kind`. Default: {@link knownApiVersions}. */
    apiVersions?: readonly string[];
    /** Default: Helm 4.2.4. */
    helmVersion?: HelmVersion;
  };
  /** Cancels the render: at once in a renderer's thread, otherwise between two passes. */
  signal?: AbortSignal;
}

type LibraryRequest = RenderInput & RenderSettings & { capabilities: { helmVersion: HelmVersion } };

/** Returns the request with defaults filled in. Throws ValuesError and RenderError. */
export function renderRequestOf(chart: Chart, options: RenderChartOptions, limits: RenderLimits): LibraryRequest {
  const { release = {}, capabilities = {}, lookup, postRender, postRenderStrategy } = options;
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
    capabilities: { version: { gitVersion: parseKubeVersion(kubeVersion).version }, apiVersions, helmVersion },
    ...(lookup && { lookup: givenLookup(lookup) }),
    postRender,
    postRenderStrategy,
    options: {
      subchartNotes: options.subchartNotes ?? false,
      skipSchemaValidation: options.skipSchemaValidation ?? false,
      remoteSchemas: options.remoteSchemas ?? {},
      strict: options.strict ?? false,
      lint: options.lint ?? false,
      allowNunjucks: options.allowNunjucks ?? false,
      ...(options.charts !== undefined && { charts: options.charts }),
      limits,
    },
  };
}
