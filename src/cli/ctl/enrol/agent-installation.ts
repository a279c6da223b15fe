import { localChart } from '../../../downloader/index.ts';
import { valueMapOfPlain } from '../../../release/plain-value.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { helmLog } from '../../helm-log.ts';
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
  /** Whether the agent may connect without encryption. */
  isInsecure: boolean;
  /** Values for the image. Default: those of the chart. */
  image: ImageValues;
}

interface ImageValues {
  repository?: string;
  tag?: string;
  digest?: string;
}

/** Reads a reference: `registry.example/helm-agent:1.2`. Throws an error if it is not one. */
export function imageValues(reference: string): ImageValues {
  const found = /^([a-z0-9][\w./:-]{0,254}?)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(reference);
  const [, repository, tag, digest] = found ?? [];
  if (repository === undefined) {
    throw new Error(
      `--image must be a reference such as registry.example/helm-agent:1.2, not ${JSON.stringify(reference)}`,
    );
  }
  return { repository, ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

const releaseName = 'helm-agent';

/** Returns the command of helm that installs an agent, or gives an installed one another token. */
export function installCommand({
  agentId,
  url,
  chart,
  namespace,
  token,
  isInsecure,
  image,
  replacesKey,
}: AgentInstallation & { replacesKey: boolean }): string {
  const images = Object.entries(image).map(([name, value]) => [`image.${name}`, value] as const);
  const values = { 'controlPlane.url': url, agentId, 'enrolment.token': token, ...Object.fromEntries(images) };
  // a comma would separate two values
  const settings = Object.entries(values).map(([name, value]) => `${name}=${value.replaceAll(',', '\\,')}`);
  const words = [
    ...(replacesKey ? ['upgrade', '--install', '--reuse-values'] : ['install']),
    ...[releaseName, chart, '--namespace', namespace, '--create-namespace'],
    ...settings.flatMap((setting) => ['--set-string', setting]),
    ...(isInsecure ? ['--set', 'controlPlane.insecureTransport=true'] : []),
  ];
  return `helm ${words.map(shellWord).join(' ')}`;
}

/** Returns the manifest of an agent with its namespace. Throws an error if there is no chart. */
export async function agentManifest(
  { agentId, url, chart, namespace, token, isInsecure, image }: AgentInstallation,
  { createRenderer, stderr }: Pick<ProgramDependencies, 'createRenderer' | 'stderr'>,
): Promise<string> {
  const write = (line: string) => stderr.write(line);
  const controlPlane = { url, ...(isInsecure && { insecureTransport: true }) };
  const values = { controlPlane, agentId, enrolment: { token }, image: { ...image } };
  const request = {
    async locate() {
      const located = await localChart(chart);
      if (located) return located;
      throw new Error(`there is no chart at ${chart} on this machine; name the chart of the agent with --chart`);
    },
    values: () => Promise.resolve(valueMapOfPlain(values)),
    ...{ name: releaseName, namespace, skipTests: true, resolveHost: undefined, skipSchemaValidation: false },
  };
  const { output } = await renderChart(request, () => createRenderer({ allowNunjucks: false }), helmLog(write), write);
  return `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${JSON.stringify(namespace)}\n${output}`;
}
