// Records the values that helm stores and renders with nulls in all ways of values, for the test
// test/cli/helm/null-values.test.ts.
// Usage: KUBECONFIG=FILE node tools/record-null-values.ts PATH-OF-HELM NAMESPACE
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { lineRecord, nullLines } from '../test/cli/helm/support/null-values.ts';

const [helm = '/usr/local/bin/helm', namespace = 'nulls'] = process.argv.slice(2);
const records = nullLines(namespace).flatMap((args) => {
  const own = args[0] === 'install' ? ['--create-namespace'] : [];
  const stdout = execFileSync(helm, [...args, ...own], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return args[0] === 'get' ? [JSON.stringify(lineRecord(args, stdout))] : [];
});
const file = new URL('../test/cli/helm/fixtures/null-values.json', import.meta.url);
writeFileSync(file, `[\n${records.join(',\n')}\n]\n`);
process.stdout.write(`${records.length} command lines\n`);
