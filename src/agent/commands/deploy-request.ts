import type { CommandPayloads } from '../../protocol/commands/index.ts';
import { OperationError } from '../../operation/error.ts';
import { withoutHelmOptions } from './helm-options.ts';
import { withSettleOptions } from './settle-options.ts';
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

/** Returns the request of an installation or an upgrade. Throws `bad_payload`. */
export function deployRequest(payload: DeployPayload, dependencies: RequestDependencies) {
  const { loadChart, postRenderer, ...request } = chartRequest(payload, dependencies);
  const { dryRun, offline, ...options } = withoutHelmOptions(request);
  return {
    ...withoutUndefined({ dryRun, offline, ...withSettleOptions(options), ...unusedOptions }),
    ...(dryRun === true && offline !== true && { preview: 'dry-run' as const }),
    ...(postRenderer !== undefined && { postRender: postRenderOf(postRenderer, dependencies) }),
    loadChart,
  };
}

function postRenderOf(name: string, { postRenderers = new Map() }: RequestDependencies) {
  const postRender = postRenderers.get(name);
  if (postRender !== undefined) return postRender;
  const known = postRenderers.size === 0 ? 'none' : [...postRenderers.keys()].sort().join(', ');
  const advice = 'start the agent with --post-renderers to add one';
  throw new OperationError(
    'bad_payload',
    `postRenderer: the agent has no such post-renderer, only: ${known}; ${advice}`,
  );
}
