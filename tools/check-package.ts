// Packs what would be published, and uses it as a program of somebody else's would: the documents' examples are checked with types, declarations of this package
// included, and run. To be run after `npm run build`.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { documentedExamples } from './documented-examples.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
  exports: Record<string, unknown>;
}

const { name, dependencies, exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
const folder = await mkdtemp(join(tmpdir(), 'helm-agent-package-'));
try {
  await install(folder);
  const files = await writeProgram(folder);
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  for (const file of files) await run(process.execPath, [join(folder, file)], { cwd: root });
  process.stdout.write(`the package can be used: ${files.length} programs\n`);
} catch (error) {
  if (!(error instanceof Error) || !('stdout' in error)) throw error;
  process.stderr.write(`${error.message}\n${String(error.stdout)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** Unpacks the package into the folder's node_modules, and links what it depends on. */
async function install(target: string): Promise<void> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', target], { cwd: root });
  const installed = join(target, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  const { stdout } = await run('sh', ['-c', `tar -xzf ${name}-*.tgz --strip-components=1 -C ${installed}`], {
    cwd: target,
  });
  if (stdout !== '') throw new Error(stdout);
  for (const module of [...Object.keys(dependencies), '@types/node']) {
    const link = join(target, 'node_modules', module);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', module), link);
  }
}

/** A program for each example that runs by itself, and one that imports all that is published; answers those to run. */
async function writeProgram(target: string): Promise<string[]> {
  const examples = await documentedExamples(`${name}/render`);
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  const imports = entries.map(
    (entry, i) => `import * as entry${i} from '${join(name, entry)}';\nconsole.log(entry${i});`,
  );
  const programs = [...examples.map(({ code }) => code), imports.join('\n')];
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ['node'],
  };
  await writeFile(join(target, 'package.json'), '{ "type": "module" }');
  await writeFile(join(target, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await Promise.all(programs.map((code, i) => writeFile(join(target, `program-${i}.ts`), `${code}\nexport {};\n`)));
  return programs.map((_, i) => `program-${i}.js`);
}
