// Records what helm prints for the command lines in test/cli/helm/fixtures/usage.txt.
// Usage: node tools/record-helm-usage.ts PATH-OF-HELM
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { helpShape } from '../test/cli/helm/support/help-shape.ts';

const [helm = '/usr/local/bin/helm'] = process.argv.slice(2);
const folder = new URL('../test/cli/helm/fixtures/', import.meta.url);
const lines = readFileSync(new URL('usage.txt', folder), 'utf8').trimEnd().split('\n');
const records = lines.map((line) => {
  const args = line.split(' ').filter((word) => word !== '');
  const env = { HOME: '/home/helm', KUBECONFIG: '/dev/null', HELM_NO_PLUGINS: '1' };
  const { stdout, stderr, status, error } = spawnSync(helm, args, { encoding: 'utf8', env });
  if (error !== undefined) throw error;
  return { args, stdout: helpShape(stdout), stderr: helpShape(stderr), code: status };
});
const text = records.map((record) => JSON.stringify(record)).join(',\n');
writeFileSync(new URL('usage.json', folder), `[\n${text}\n]\n`);
