// Packs the packages and checks them as their users see them: relative links in Markdown lead to
// files that the package contains, the examples of the docs compile against its declarations and
// run, the tests of types compile, and the program downloads a signed chart, because its bundle has
// only parts of the HTTP client, and lacks the library for signatures. The packages of libraries
// see only their own dependencies.
// Needs dist/, so `npm run build` runs it last.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { documentedExamples } from './documented-examples.ts';
import { libraries } from './libraries.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
  exports: Record<string, unknown>;
  bin?: Record<string, string>;
}

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

const main = await readManifest(root);
const folder = await mkdtemp(join(tmpdir(), 'helm-agent-package-'));
try {
  const target = join(folder, 'helm-agent');
  const entries = Object.keys(main.exports).filter((entry) => entry !== './package.json');
  const modules = entries.map((entry) => posix.join(main.name, entry));
  const programs = [...(await examplesOf('helm-agent/render')), importing(modules)];
  const typeTests = await Promise.all(modules.map((module) => typeTestOf(module, module)));
  await checkPackage(root, target, { programs, typeTests });
  await pullChart(target);
  for (const { name, folder: subfolder, entry } of libraries) {
    const examples = entry === 'helm-agent/render' ? await examplesOf(entry) : []; // the others need a cluster
    const renamed = examples.map((code) => code.replaceAll(`'${entry}'`, `'${name}'`));
    await checkPackage(join(root, 'dist/packages', subfolder), join(folder, subfolder), {
      programs: [...renamed, importing([name])],
      typeTests: [await typeTestOf(entry, name)],
    });
  }
} catch (error) {
  if (!(error instanceof Error) || !('stdout' in error)) throw error;
  process.stderr.write(`${error.message}\n${String(error.stdout)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

async function readManifest(packageFolder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as Manifest;
}

async function examplesOf(entry: string): Promise<string[]> {
  return (await documentedExamples(entry)).map(({ code }) => code);
}

/** Returns the test of an entry's types, which imports it by the module's name. */
async function typeTestOf(entry: string, module: string): Promise<string> {
  const name = basename(entry);
  const text = await readFile(join(root, 'test/types', `${name}.ts`), 'utf8');
  return text.replaceAll(`'../../src/${name}/index.ts'`, `'${module}'`);
}

/** Returns a program that imports the modules and prints what they export. */
function importing(modules: readonly string[]): string {
  return modules.map((module, i) => `import * as entry${i} from '${module}';\nconsole.log(entry${i});`).join('\n');
}

interface Checks {
  /** Are compiled and run. */
  programs: readonly string[];
  /** Are only compiled. */
  typeTests: readonly string[];
}

/** Packs the package, installs it into the target folder, and makes the checks there. */
async function checkPackage(packageFolder: string, target: string, { programs, typeTests }: Checks): Promise<void> {
  const manifest = await readManifest(packageFolder);
  const packed = await install(packageFolder, manifest, target);
  const broken = await findBrokenLinks(packageFolder, packed.files);
  if (broken.length > 0) throw new Error(`links to files that the package does not contain:\n${broken.join('\n')}`);
  const files = await writePrograms(target, programs);
  await Promise.all(typeTests.map((code, i) => writeFile(join(target, `types-${i}.ts`), code)));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', target]);
  for (const file of files) await run(process.execPath, [join(target, file)], { cwd: root });
  const size = (packed.unpackedSize / 1e6).toFixed(1);
  process.stdout.write(`${manifest.name}: ${size} MB in ${packed.files.length} files, ${files.length} programs run\n`);
}

/** Packs and signs a chart with the packed program, serves it, pulls it and verifies it. */
async function pullChart(target: string): Promise<void> {
  const program = join(target, 'node_modules', main.name, main.bin?.[main.name] ?? '');
  const [charts, home] = [join(target, 'charts'), join(target, 'home')];
  await mkdir(home);
  const helm = (...args: string[]) => run(process.execPath, [program, 'helm', ...args], { env: { HOME: home } });
  const keyring = ['--keyring', join(root, 'test/cli/helm/fixtures/signatures/secret.gpg')];
  const signing = ['--sign', '--key', 'test@example.com', ...keyring];
  await helm('package', join(root, 'examples/charts/web'), '-d', charts, ...signing);
  await helm('repo', 'index', charts);
  const server = createServer((request, response) => {
    void readFile(join(charts, basename(request.url ?? ''))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  try {
    await helm('pull', 'web', '--repo', `http://127.0.0.1:${port}`, '-d', home, '--verify', ...keyring);
  } finally {
    server.close();
  }
  await access(join(home, 'web-1.0.0.tgz'));
}

/** Unpacks the package into the target's node_modules and links its dependencies there. */
async function install(packageFolder: string, { name, dependencies }: Manifest, target: string): Promise<Packed> {
  await mkdir(target);
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const { stdout } = await run('npm', pack, { cwd: packageFolder, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as Packed[];
  if (!packed) throw new Error(`npm pack printed no package: ${stdout}`);
  const installed = join(target, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(target, packed.filename), '--strip-components=1', '-C', installed]);
  for (const module of [...Object.keys(dependencies), '@types/node', 'expect-type']) {
    const link = join(target, 'node_modules', module);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', module), link);
  }
  return packed;
}

/** Returns the relative links in the package's Markdown that lead to no file or folder in it. */
async function findBrokenLinks(packageFolder: string, files: readonly { path: string }[]): Promise<string[]> {
  const paths = files.map(({ path }) => path);
  const found = paths
    .filter((path) => path.endsWith('.md'))
    .map(async (path) => {
      const text = await readFile(join(packageFolder, path), 'utf8');
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link.replace(/#.*/, ''))
        .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
        .map((link) => ({ link, file: posix.join(posix.dirname(path), link).replace(/\/$/, '') }))
        .filter(({ file }) => !paths.some((other) => other === file || other.startsWith(`${file}/`)))
        .map(({ link }) => `${path}: ${link}`);
    });
  return (await Promise.all(found)).flat();
}

/** Writes the programs to files and a configuration that compiles them. Returns compiled files. */
async function writePrograms(target: string, programs: readonly string[]): Promise<string[]> {
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
