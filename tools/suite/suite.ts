// Runs all tests but those on a cluster, for `npm test`. Most files share processes, see plan.ts.
// Files of a shared process that was ended before them run again by themselves.
// Usage: npm test [-- ARGUMENTS…]; with arguments, such as a file, it is the same as npx ava.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { childModules } from '../../test/support/program.ts';
import { AvaOutput } from './ava-output.ts';
import type { FileTime } from './file-times.ts';
import { planOf } from './plan.ts';

const entryFolder = 'test/.shared';

/** Stays the same, so that compiled code of the program is kept from run to run. */
const programFolder = resolve('node_modules/.cache/suite-program');

let isInterrupted = false;
process.on('SIGINT', () => {
  isInterrupted = true; // ava gets it too, and says what was running
});

const args = process.argv.slice(2);
process.exitCode = args.length > 0 ? await runAva(args) : await runAll();

async function runAll(): Promise<number> {
  const files = globSync('test/**/*.test.ts', { exclude: ['test/e2e/**'] });
  const { longest, alone, groups } = planOf(files);
  const entries = groups.map((_, index) => `${entryFolder}/${index + 1}.ts`);
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  const timesFile = join(folder, 'times.jsonl');
  const times = () => readTimes(timesFile);
  const output = new AvaOutput(process.stdout, () => `${times().length} of ${files.length} files`);
  try {
    writeFileSync(timesFile, '');
    await bundleProgram();
    mkdirSync(entryFolder, { recursive: true });
    for (const [index, entry] of entries.entries()) writeFileSync(entry, entryOf(groups[index] ?? []));
    const run = async (chosen: readonly string[], file?: string) => {
      const env = { SUITE_TIMES: timesFile, SUITE_FILES: JSON.stringify(chosen), SUITE_PROGRAM: programFolder };
      return await runAva(['--config', 'ava.suite.config.js'], env, (line) => output.line(line, file));
    };
    const code = await run([...longest, ...entries, ...alone]);
    const ended = new Set(times().map(({ file }) => file));
    const again = groups.flat().filter((file) => !ended.has(file));
    if (again.length > 0 && !isInterrupted) {
      output.line(`\n  A shared process was ended. These files run again by themselves:`);
      for (const file of again) output.line(`  ${file}`);
      for (const file of again) await run([file], file);
    }
    output.end(times());
    return code || Number(again.length > 0);
  } finally {
    output.close();
    rmSync(entryFolder, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bundles the program, and other modules that tests start as processes. */
async function bundleProgram(): Promise<void> {
  rmSync(programFolder, { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [
    'tools/bundle.ts',
    programFolder,
    '--for-npm',
    ...Object.values(childModules),
  ]);
}

/** Returns the exit code of ava. Default: its output goes to that of this process. */
async function runAva(
  given: readonly string[],
  env: Record<string, string> = {},
  onLine?: (line: string) => void,
): Promise<number> {
  const child = spawn(process.execPath, ['node_modules/ava/entrypoints/cli.js', ...given], {
    stdio: ['inherit', onLine ? 'pipe' : 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  if (child.stdout) for await (const line of createInterface(child.stdout)) onLine?.(line);
  const [code] = await exit;
  return code ?? 1;
}

function entryOf(files: readonly string[]): string {
  return [
    "import { runTogether } from '../../tools/suite/shared-process.ts';",
    `await runTogether(${JSON.stringify(files, undefined, 2)});\n`,
  ].join('\n');
}

function readTimes(file: string): FileTime[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as FileTime);
}
