// Packs the package and checks it as its users see it: relative links in its Markdown lead to files
// that it contains, the examples of the docs compile against its declarations and run, and the
// program downloads a signed chart, because its bundle has only parts of the HTTP client, and lacks
// the library for signatures.
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

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

interface Manifest {
  name: string;
  dependencies: Record<string, string>;
  exports: Record<string, unknown>;
  bin: Record<string, string>;
}

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

const { name, dependencies, exports, bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Manifest;
const folder = await mkdtemp(join(tmpdir(), 'helm-agent-package-'));
try {
  const packed = await install(folder);
  const broken = await findBrokenLinks(packed.files);
  if (broken.length > 0) throw new Error(`links to files that the package does not contain:\n${broken.join('\n')}`);
  const programs = await writePrograms(folder);
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  for (const program of programs) await run(process.execPath, [join(folder, program)], { cwd: root });
  await pullChart(folder);
  const size = (packed.unpackedSize / 1e6).toFixed(1);
  process.stdout.write(`package: ${size} MB in ${packed.files.length} files, ${programs.length} examples run\n`);
} catch (error) {
  if (!(error instanceof Error) || !('stdout' in error)) throw error;
  process.stderr.write(`${error.message}\n${String(error.stdout)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** Packs and signs a chart with the packed program, serves it, pulls it and verifies it. */
async function pullChart(target: string): Promise<void> {
  const program = join(target, 'node_modules', name, bin[name] ?? '');
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

/** Unpacks the package into the folder's node_modules and links its dependencies there. */
async function install(target: string): Promise<Packed> {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const { stdout } = await run('npm', pack, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as Packed[];
  if (!packed) throw new Error(`npm pack printed no package: ${stdout}`);
  const installed = join(target, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', join(target, packed.filename), '--strip-components=1', '-C', installed]);
  for (const module of [...Object.keys(dependencies), '@types/node']) {
    const link = join(target, 'node_modules', module);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', module), link);
  }
  return packed;
}

/** Returns the relative links in the package's Markdown that lead to no file or folder in it. */
async function findBrokenLinks(files: readonly { path: string }[]): Promise<string[]> {
  const paths = files.map(({ path }) => path);
  const found = paths
    .filter((path) => path.endsWith('.md'))
    .map(async (path) => {
      const text = await readFile(join(root, path), 'utf8');
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link.replace(/#.*/, ''))
        .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
        .map((link) => ({ link, file: posix.join(posix.dirname(path), link).replace(/\/$/, '') }))
        .filter(({ file }) => !paths.some((other) => other === file || other.startsWith(`${file}/`)))
        .map(({ link }) => `${path}: ${link}`);
    });
  return (await Promise.all(found)).flat();
}

/** Writes a program for each example of the docs and one that imports all entries. */
async function writePrograms(target: string): Promise<string[]> {
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
