import type { CommandPayloads } from '../../protocol/commands/index.ts';
import { withoutHelmOptions } from './helm-options.ts';
import { withoutUndefined, type RequestDependencies } from './performance.ts';

type DeployPayload = CommandPayloads['install_release'] | CommandPayloads['upgrade_release'];

/** Options that the request does not have. */
const unusedOptions = { disableOpenapiValidation: undefined, hideNotes: undefined };

/**
 * Returns the request of an installation or an upgrade. The chart is loaded when the operation asks
 * for it.
 */
export function deployRequest(payload: DeployPayload, { source }: RequestDependencies) {
  const { repoUrl, repoUserName, repoPassword, chartName, chartVersion, ...request } = payload;
  const chart = { chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword };
  return {
    ...withoutUndefined({ ...withoutHelmOptions(request), ...unusedOptions }),
    loadChart: (signal: AbortSignal) => source.load(chart, signal),
  };
}
