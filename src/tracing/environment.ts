type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the standard variables of OpenTelemetry ask for traces. */
export function isTracingWanted(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  if (env['OTEL_TRACES_EXPORTER']?.trim() === 'none') return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT']);
}

/** How traces are chosen that are recorded. */
export interface Sampling {
  /** Whether a trace that its sender has chosen or not chosen is treated in the same way. */
  followsParent: boolean;
  /** Share of the others, from 0 to 1. */
  ratio: number;
}

const ratios = new Map(Object.entries({ always_on: 1, always_off: 0 }));

/**
 * Reads `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`. Returns undefined if they are not
 * valid; see `defaultSampling`.
 */
export function samplingOf(env: Environment): Sampling | undefined {
  const { OTEL_TRACES_SAMPLER: text, OTEL_TRACES_SAMPLER_ARG: argument } = env;
  const name = text?.trim() || 'parentbased_always_on';
  const followsParent = name.startsWith('parentbased_');
  const kind = followsParent ? name.slice('parentbased_'.length) : name;
  const ratio = kind === 'traceidratio' ? Number(argument?.trim() || 1) : ratios.get(kind);
  return ratio === undefined || !(ratio >= 0 && ratio <= 1) ? undefined : { followsParent, ratio };
}

/** The sampling without variables: all traces, except those that their sender has not chosen. */
export const defaultSampling: Sampling = { followsParent: true, ratio: 1 };
