import { loadAll } from 'js-yaml';
import { renderChart } from '../../src/render/index.ts';

interface PodSpec {
  securityContext: { runAsNonRoot?: boolean; seccompProfile?: { type: string } };
  containers: {
    name: string;
    image: string;
    args?: string[];
    env?: { name: string }[];
    securityContext?: unknown;
    volumeMounts?: { name: string }[];
  }[];
  volumes?: { name: string; [source: string]: unknown }[];
}

interface PodTemplate {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface RenderedObject {
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  rules?: { resources: string[]; verbs: string[]; resourceNames?: string[] }[];
  spec?: PodSpec & { replicas?: number; template?: PodTemplate };
}

export const deployCharts = ['helm-agent', 'helm-agent-control-plane'];

/** The values that the chart of the agent needs. */
export const agentValues = { controlPlane: { url: 'wss://plane.example' }, agentId: 'a' };

/** Returns the objects of a chart in `deploy`. Throws if one has a key twice. */
export async function render(chart: string, values: Record<string, unknown>): Promise<RenderedObject[]> {
  const release = { name: 'demo', namespace: 'ns' };
  const { manifest, hooks } = await renderChart(`deploy/${chart}`, { release, values });
  const texts = [manifest, ...hooks.map(({ content }) => content)];
  return texts.flatMap((text) => loadAll(text) as (RenderedObject | null)[]).filter((object) => object !== null); // objects
}
