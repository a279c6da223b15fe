import type { CommandPayloads } from '../../protocol/commands/index.ts';
import { ValuesTextError } from './values-error.ts';
import { withoutUndefined, type RequestDependencies, type Values } from './performance.ts';

type DeployPayload = CommandPayloads['install_release'] | CommandPayloads['upgrade_release'];

/**
 * Returns the request of an installation or an upgrade. The chart is loaded when the operation asks
 * for it.
 */
export function deployRequest(payload: DeployPayload, { source, readValues }: RequestDependencies) {
  const { repoUrl, repoUserName, repoPassword, chartName, chartVersion, values, ...request } = payload;
  const chart = { chartName, chartVersion, repoUrl, username: repoUserName, password: repoPassword };
  return {
    ...withoutUndefined(request),
    ...(values !== undefined && { values: valuesOf(values, readValues) }),
    loadChart: (signal: AbortSignal) => source.load(chart, signal),
  };
}

function valuesOf(text: string, readValues: (text: string) => Values): Values {
  try {
    return readValues(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const line = error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line : undefined;
    throw new ValuesTextError(`values: give a YAML mapping: ${reason}`, line);
  }
}
