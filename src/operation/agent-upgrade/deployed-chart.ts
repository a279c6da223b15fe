import { createHash } from 'node:crypto';
import type { ChartFile } from '../../chart/chart.ts';
import type { ChartContent } from '../../chart/load/chart-content.ts';
import type { Release } from '../../release/release.ts';
import { notUpgradable } from './own-agent.ts';

/**
 * Returns the chart of a stored release. Throws `agent_not_upgradable` for one with subcharts, as a
 * release does not have them.
 */
export function deployedChart({ chart }: Release): ChartContent {
  const { metadata, lock, templates, values, schema, files } = chart;
  const { name = '', version = '' } = metadata ?? {};
  const { dependencies } = (metadata ?? {}) as { dependencies?: readonly unknown[] }; // as Helm stores it
  if (dependencies !== undefined && dependencies.length > 0) {
    throw notUpgradable('its chart has dependencies, which are not stored with the release; name the chart');
  }
  const content: ChartFile[] = [
    { name: 'Chart.yaml', data: json(metadata) },
    { name: 'values.yaml', data: json(values ?? {}) },
    ...(lock === null ? [] : [{ name: 'Chart.lock', data: json(lock) }]),
    ...(schema === null ? [] : [{ name: 'values.schema.json', data: bytes(schema) }]),
    ...[...(templates ?? []), ...(files ?? [])].map((file) => ({ name: file.name, data: bytes(file.data) })),
  ];
  const digest = createHash('sha256');
  for (const file of content) digest.update(`${file.name}\n${file.data.length}\n`).update(file.data);
  return { name, version, digest: digest.digest('hex'), files: content };
}

/** JSON is YAML. */
function json(data: unknown): Uint8Array {
  return Uint8Array.from(Buffer.from(JSON.stringify(data)));
}

function bytes(base64: string | null): Uint8Array {
  return Uint8Array.from(Buffer.from(base64 ?? '', 'base64'));
}
