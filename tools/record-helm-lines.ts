// Records what helm prints for the command lines of tools/helm-command-lines.ts, for the test
// test/cli/helm/command-lines.test.ts.
// Usage: node tools/record-helm-lines.ts PATH-OF-HELM
import { writeFileSync } from 'node:fs';
import { helpShape } from '../test/cli/helm/support/help-shape.ts';
import { commandLines, recordLines } from './helm-command-lines.ts';

const [helm = '/usr/local/bin/helm'] = process.argv.slice(2);
const records = recordLines(helm, commandLines(helm)).map(({ args, stdout, stderr, code }) => {
  return JSON.stringify({ args, stdout: helpShape(stdout), stderr: helpShape(stderr), code });
});
const file = new URL('../test/cli/helm/fixtures/command-lines.json', import.meta.url);
writeFileSync(file, `[\n${records.join(',\n')}\n]\n`);
process.stdout.write(`${records.length} command lines\n`);
