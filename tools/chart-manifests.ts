import { format, resolveConfig } from 'prettier';
import { renderChart } from '../src/render/index.ts';

/** A file for kubectl that is rendered from a chart. */
export interface ChartManifest {
  file: string;
  chart: string;
  release: string;
  namespace: string;
  values: Record<string, unknown>;
  /** Comment at the top. */
  header: string;
  /** Whether the namespace is part of the file. */
  hasNamespace: boolean;
  /** Whether an object is part of the file. Default: all are. */
  only?: (object: string) => boolean;
}

const agentValues = { controlPlane: { url: 'wss://control-plane.example' }, agentId: 'my-cluster' };

/** The files, by the charts that they come from. */
export const manifests: readonly ChartManifest[] = [
  {
    file: 'helm-agent.yaml',
    chart: 'deploy/helm-agent',
    release: 'helm-agent',
    namespace: 'helm-agent',
    values: agentValues,
    header: `helm-agent in its own namespace, from the chart in deploy/helm-agent by npm run manifests. Set
HELM_AGENT_CONTROL_PLANE, HELM_AGENT_AGENT_ID and the image, apply the file, and create the Secret
with the token of this agent:
  kubectl -n helm-agent create secret generic helm-agent-token --from-file=token=FILE
The agent reads the ConfigMap when it starts. After a change of it, except for the level of the log:
  kubectl -n helm-agent rollout restart deployment/helm-agent`,
    hasNamespace: true,
  },
  {
    file: 'deploy/agent-rights.yaml',
    chart: 'deploy/helm-agent',
    release: 'helm-agent',
    namespace: 'helm-agent',
    values: { ...agentValues, rights: { mode: 'namespaces', namespaces: ['shop'] } },
    header: `Rights of an agent that deploys to one namespace only, instead of the ClusterRoleBinding in
helm-agent.yaml. Replace \`shop\` by the namespace, and apply the file once for each of them. It is
from the chart in deploy/helm-agent by npm run manifests.`,
    hasNamespace: false,
    only: (object) => object.includes('namespace: shop'),
  },
  {
    file: 'deploy/control-plane.yaml',
    chart: 'deploy/helm-agent-control-plane',
    release: 'control-plane',
    namespace: 'helm-agent-control-plane',
    values: {
      fullnameOverride: 'control-plane',
      tokens: { existingSecret: 'tokens' },
      persistence: { claimName: 'data' },
    },
    header: `A control plane for agents in other clusters, from the chart in deploy/helm-agent-control-plane by
npm run manifests. Put an Ingress or a load balancer with TLS in front of the Service, or add
--tls-certificate and --tls-key. Create the Secret with the agents file and with the token of users
of the REST API and ctl:
  helm-agent agents add my-cluster --agents-file agents > my-cluster.token
  kubectl -n helm-agent-control-plane create secret generic tokens --from-file=agents --from-file=users=FILE
After a change of the agents file, replace the Secret. The control plane reads it again.`,
    hasNamespace: true,
  },
];

/** Lines that only helm needs. */
const helmLines = /^ *(?:# Source: |helm\.sh\/chart: |app\.kubernetes\.io\/managed-by: |checksum\/config: ).*\n/gm;

/** Returns the text of a file. */
export async function renderManifest(manifest: ChartManifest): Promise<string> {
  const { chart, release: name, namespace, values, header, hasNamespace, only = () => true, file } = manifest;
  const rendered = await renderChart(chart, { release: { name, namespace }, values });
  const objects = rendered.manifest
    .replaceAll(helmLines, '')
    .split(/^---\n/m)
    .filter((object) => object.trim() !== '' && only(object));
  const documents = [...(hasNamespace ? [namespaceText(namespace)] : []), ...objects];
  const comment = header.replaceAll(/^/gm, '# ');
  const text = `${comment}\n${hasNamespace ? '' : '#\n'}${documents.map((one) => `${one.trim()}\n`).join('---\n')}`;
  return await format(text, { ...(await resolveConfig(file)), parser: 'yaml' });
}

function namespaceText(name: string): string {
  const label = 'pod-security.kubernetes.io/enforce: restricted';
  return `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n  labels:\n    ${label}\n`;
}
