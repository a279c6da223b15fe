// Runs the import rules and refuses a run that looked at too little: with a compiler that it does not know,
// dependency-cruiser sees no module and still exits 0.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const expected = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
).length;
const run = spawnSync(
  process.execPath,
  ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', 'src', '--config', '.dependency-cruiser.js'],
  { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
process.stdout.write(run.stdout);
process.stderr.write(run.stderr);

const seen = Number(/\((\d+) modules/.exec(run.stdout)?.[1] ?? 0);
console.log(`import rules: ${seen} modules seen, ${expected} of them in src`);
if (run.status !== 0 || seen < expected) process.exitCode = 1;
