import { shellWord } from '../text/shell-word.ts';

/** An agent that was invited. */
export interface Invitation {
  readonly agentId: string;
  /** `ws://` or `wss://` URL of the control plane, as the cluster reaches it. */
  readonly url: string;
  readonly token: string;
  /** The chart of the agent: a folder, or a URL. */
  readonly chart: string;
  /** Whether the agent has a key, which the token replaces. */
  readonly replacesKey: boolean;
}

/** Returns the command of helm that installs an agent, as `helm-agent ctl enrol` prints it. */
export function installCommand({ agentId, url, token, chart, replacesKey }: Invitation): string {
  const values = { 'controlPlane.url': url, agentId, 'enrolment.token': token };
  const lines = [
    `helm ${replacesKey ? 'upgrade --install --reuse-values' : 'install'} helm-agent ${shellWord(chart)}`,
    '--namespace helm-agent --create-namespace',
    // a comma would separate two values
    ...Object.entries(values).map(
      ([name, value]) => `--set-string ${shellWord(`${name}=${value.replaceAll(',', '\\,')}`)}`,
    ),
    ...(isInsecure(url) ? ['--set controlPlane.insecureTransport=true'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** Whether an agent would send its packets without encryption. */
function isInsecure(url: string): boolean {
  return url.startsWith('ws:');
}

/** Returns labels of the form `site=berlin, tier=gold`. Throws an error that names a wrong one. */
export function parseLabels(text: string): Record<string, string> {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter(Boolean);
  const entries = pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new Error(`${pair} is not of the form KEY=VALUE`);
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}
