import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';

/** Number of objects in the charts that are deployed. */
export const chartSizes = { small: 4, large: 50 } as const;
export type ChartName = keyof typeof chartSizes;

/**
 * Writes charts into a folder. Their objects are ready as soon as they exist: Deployments have zero
 * replicas.
 */
export async function writeCharts(folder: string): Promise<void> {
  for (const [name, size] of Object.entries(chartSizes)) {
    const templates = join(folder, name, 'templates');
    await mkdir(templates, { recursive: true });
    await writeFile(join(folder, name, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
    const objects = Array.from({ length: size }, (_, index) => objectOf(index));
    await writeFile(join(templates, 'objects.yaml'), objects.join('---\n'));
  }
}

/** Returns the objects of a release, as Helm renders them. */
export function objectsOf(release: string, chart: ChartName): object[] {
  return Array.from({ length: chartSizes[chart] }, (_, index) => {
    return load(objectOf(index).replaceAll('{{ .Release.Name }}', release)) as object; // of the templates below
  });
}

function objectOf(index: number): string {
  const name = `{{ .Release.Name }}-${index}`;
  const head = (apiVersion: string, kind: string) =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
  switch (index % 4) {
    case 0:
      return `${head('v1', 'ConfigMap')}data:\n  greeting: hello\n`;
    case 1:
      return `${head('v1', 'Service')}spec:\n  selector: { app: ${name} }\n  ports: [{ port: 80 }]\n`;
    case 2:
      return head('v1', 'ServiceAccount');
    default:
      return `${head('apps/v1', 'Deployment')}spec:
  replicas: 0
  selector:
    matchLabels: { app: ${name} }
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      containers: [{ name: a, image: a }]
`;
  }
}
