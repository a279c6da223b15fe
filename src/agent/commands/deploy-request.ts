import type { CommandPayloads } from '../../protocol/commands/index.ts';
import { withoutHelmOptions } from './helm-options.ts';
import { withoutUndefined, type RequestDependencies } from './performance.ts';

type DeployPayload = CommandPayloads['install_release'] | CommandPayloads['upgrade_release'];

/** Options that the request does not have. */
const unusedOptions = { disableOpenapiValidation: undefined, hideNotes: undefined };

interface ChartFields {
  repoUrl?: string | undefined;
  repoUserName?: string | undefined;
  repoPassword?: string | undefined;
  chartName: string;
  chartVersion?: string | undefined;
}

/**
 * Returns a request with a function that loads the chart. The chart is loaded when the operation
 * asks for it.
 */
export function chartRequest<Payload extends ChartFields>(payload: Payload, { source }: RequestDependencies) {
  const { repoUrl, repoUserName, repoPassword, chartName, chartVersion, ...request } = payload;
  const chart = { chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword };
  return { ...withoutUndefined(request), loadChart: (signal: AbortSignal) => source.load(chart, signal) };
}

/** Returns the request of an installation or an upgrade. */
export function deployRequest(payload: DeployPayload, dependencies: RequestDependencies) {
  const { loadChart, ...request } = chartRequest(payload, dependencies);
  return { ...withoutUndefined({ ...withoutHelmOptions(request), ...unusedOptions }), loadChart };
}
