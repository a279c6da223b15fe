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
  dependencyUpdate?: boolean | undefined;
  credentialsFrom?: { secret: string } | undefined;
  chartArchive?: string | undefined;
  chartDigest?: string | undefined;
  chartUpload?: string | undefined;
}

/**
 * Returns a request with a function that loads the chart. The chart is loaded when the operation
 * asks for it.
 */
export function chartRequest<Payload extends ChartFields>(
  payload: Payload,
  { source, credentials }: RequestDependencies,
) {
  const { repoUrl, repoUserName, repoPassword, chartName, chartVersion, ...rest } = payload;
  const { dependencyUpdate, credentialsFrom, chartArchive, chartDigest, chartUpload, ...request } = rest;
  const chart = {
    ...{ chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword },
    ...(dependencyUpdate && { dependencyUpdate }),
    ...(chartArchive !== undefined && { archive: Buffer.from(chartArchive, 'base64'), digest: chartDigest }),
    ...(chartUpload !== undefined && { upload: chartUpload }),
  };
  if (credentialsFrom === undefined) {
    return { ...withoutUndefined(request), loadChart: (signal: AbortSignal) => source.load(chart, signal) };
  }
  if (repoUserName || repoPassword) {
    throw new OperationError('bad_payload', 'credentialsFrom: give either a Secret or a user name and a password');
  }
  if (credentials === undefined) {
    throw new OperationError('bad_payload', 'credentialsFrom: there is no agent whose Secrets could be read');
  }
  const loadChart = async (signal: AbortSignal) =>
    source.load({ ...chart, ...(await credentials(credentialsFrom.secret, chart, signal)) }, signal);
  return { ...withoutUndefined(request), loadChart };
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
