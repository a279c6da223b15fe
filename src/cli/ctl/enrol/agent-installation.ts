import { valueMapOfPlain } from '../../../release/plain-value.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { helmLog } from '../../helm-log.ts';
import { localChart } from '../../locate-chart.ts';
import { shellWord } from '../../shell-word.ts';
import { renderChart } from '../../template/render-chart.ts';

/** The release of the agent's chart. */
export interface AgentInstallation {
  agentId: string;
  /** URL of the control plane. */
  url: string;
  chart: string;
  namespace: string;
  token: string;
}

const releaseName = 'helm-agent';

/** Returns the command of helm that installs an agent, or gives an installed one another token. */
export function installCommand({
  agentId,
  url,
  chart,
  namespace,
  token,
  replacesKey,
}: AgentInstallation & { replacesKey: boolean }): string {
  const values = { 'controlPlane.url': url, agentId, 'enrolment.token': token };
  // a comma would separate two values
  const settings = Object.entries(values).map(([name, value]) => `${name}=${value.replaceAll(',', '\\,')}`);
  const words = [
    ...(replacesKey ? ['upgrade', '--install', '--reuse-values'] : ['install']),
    ...[releaseName, chart, '--namespace', namespace, '--create-namespace'],
    ...settings.flatMap((setting) => ['--set-string', setting]),
  ];
  return `helm ${words.map(shellWord).join(' ')}`;
}

/** Returns the manifest of an agent with its namespace. Throws an error if there is no chart. */
export async function agentManifest(
  { agentId, url, chart, namespace, token }: AgentInstallation,
  { createRenderer, stderr }: Pick<ProgramDependencies, 'createRenderer' | 'stderr'>,
): Promise<string> {
  const write = (line: string) => stderr.write(line);
  const request = {
    async locate() {
      const located = await localChart(chart);
      if (located) return located;
      throw new Error(`there is no chart at ${chart} on this machine; name the chart of the agent with --chart`);
    },
    values: () => Promise.resolve(valueMapOfPlain({ controlPlane: { url }, agentId, enrolment: { token } })),
    ...{ name: releaseName, namespace, skipTests: true, resolveHost: undefined, skipSchemaValidation: false },
  };
  const output = await renderChart(request, () => createRenderer({ allowNunjucks: false }), helmLog(write), write);
  return `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${JSON.stringify(namespace)}\n${output}`;
}
