// Adds to a folder with the program in app/ the rest of the files of the image: Node with its
// libraries and their licenses, a user, and the list of packages, but no shell. Fails if the
// program is too large.
// Usage: node tools/image-root.ts FOLDER
import { execFile } from 'node:child_process';
import { access, copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Most bytes of all files but Node and the libraries of its image. */
const maxProgramBytes = 15 * 1024 * 1024;

const run = promisify(execFile);
const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: node tools/image-root.ts FOLDER');

const app = join(root, 'app');
await copyFile('LICENSE', join(app, 'LICENSE'));
const sbom = await run('npm', ['sbom', '--sbom-format', 'spdx', '--omit', 'dev', '--package-lock-only'], {
  maxBuffer: 64 * 1024 * 1024,
});
await writeFile(join(app, 'sbom.spdx.json'), sbom.stdout);
await mkdir(join(root, 'etc'), { recursive: true });
await writeFile(join(root, 'etc/passwd'), 'agent:x:65532:65532:agent:/tmp:/nonexistent\n');
await writeFile(join(root, 'etc/group'), 'agent:x:65532:\n');
await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
await mkdir(join(root, 'tmp'), { mode: 0o777, recursive: true });
const program = await sizeOf(root);

const { sharedObjects = [] } = process.report.getReport() as { sharedObjects?: string[] }; // Node's report lists them
const libraries = sharedObjects.filter((path) => path.startsWith('/'));
for (const library of libraries) await copyTo(root, library);
await copyTo(root, process.execPath, '/usr/local/bin/node');
// the licenses of Node and its libraries, and the system that they are from
const packages = ['libc6', 'libgcc-s1', 'libstdc++6'].map((name) => `/usr/share/doc/${name}/copyright`);
const about = [join(dirname(dirname(process.execPath)), 'LICENSE'), '/etc/os-release', ...packages];
for (const file of about) if (await exists(file)) await copyTo(root, file);
const total = await sizeOf(root);
console.log(`the image has ${mib(total)}: Node and its libraries ${mib(total - program)}, the program ${mib(program)}`);
if (program > maxProgramBytes) throw new Error(`the program has more than ${mib(maxProgramBytes)}`);

async function copyTo(folder: string, file: string, target = file): Promise<void> {
  await mkdir(dirname(join(folder, target)), { recursive: true });
  await copyFile(file, join(folder, target));
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
