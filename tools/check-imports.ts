// Checks the import rules, and that dependency-cruiser has read all modules of src: with a
// TypeScript version that it does not support, it reads none and still exits with 0.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const expected = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
).length;
const run = spawnSync(
  process.execPath,
  ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', 'src', '--config', '.dependency-cruiser.js'],
  { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
);
process.stdout.write(run.stdout);
process.stderr.write(run.stderr);

const seen = Number(/\((\d+) modules/.exec(run.stdout)?.[1] ?? 0);
console.log(`import rules: checked ${seen} modules, ${expected} of them in src`);
if (run.status !== 0 || seen < expected) process.exitCode = 1;
