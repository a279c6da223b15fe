// Adds Node with its libraries and their licenses to a folder: those of the system on which this
// runs.
// Usage: node tools/image-root.ts FOLDER
import { access, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mib, sizeOf } from './image-files.ts';

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error('usage: node tools/image-root.ts FOLDER');

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
