// Adds to a folder with the program in app/ what the image has on every processor: the license, the
// list of packages, the provenance and a user. Fails if the program is too large, or has code for
// one processor.
// Usage: node tools/image-program.ts FOLDER [--base IMAGE] [--revision COMMIT]
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { filesIn, mib, sizeOf } from './image-files.ts';
import { provenanceOf } from './image-provenance.ts';

/** Most bytes of all files but Node and the libraries of its image. */
const maxProgramBytes = 15 * 1024 * 1024;

const run = promisify(execFile);
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string', default: 'unknown' }, revision: { type: 'string', default: '' } },
});
const [root] = positionals;
if (root === undefined) throw new Error('usage: node tools/image-program.ts FOLDER [--base IMAGE] [--revision COMMIT]');

const app = join(root, 'app');
const native = await nativeFilesIn(app);
if (native.length > 0) throw new Error(`the program has code for one processor only: ${native.join(', ')}`);
await copyFile('LICENSE', join(app, 'LICENSE'));
const sbom = await run('npm', ['sbom', '--sbom-format', 'spdx', '--omit', 'dev', '--package-lock-only'], {
  maxBuffer: 64 * 1024 * 1024,
});
await writeFile(join(app, 'sbom.spdx.json'), sbom.stdout);
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
const provenance = provenanceOf({
  files: await digestsOf(app),
  lockDigest: await digestOf('package-lock.json'),
  ...{ base: values.base, version, revision: values.revision || undefined },
});
await writeFile(join(app, 'provenance.intoto.json'), `${JSON.stringify(provenance, undefined, 2)}\n`);
await mkdir(join(root, 'etc'), { recursive: true });
await writeFile(join(root, 'etc/passwd'), 'agent:x:65532:65532:agent:/tmp:/nonexistent\n');
await writeFile(join(root, 'etc/group'), 'agent:x:65532:\n');
await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
await mkdir(join(root, 'tmp'), { recursive: true });
await chmod(join(root, 'tmp'), 0o1777);
const program = await sizeOf(root);
console.log(`the program has ${mib(program)}`);
if (program > maxProgramBytes) throw new Error(`the program has more than ${mib(maxProgramBytes)}`);

/** Returns the programs and libraries for one processor. Their first bytes are those of ELF. */
async function nativeFilesIn(folder: string): Promise<string[]> {
  const files = await filesIn(folder);
  const starts = await Promise.all(files.map(async (file) => (await readFile(file)).toString('latin1', 0, 4)));
  return files.filter((_, index) => starts[index] === '\x7fELF');
}

async function digestOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** Returns the digests of all files, by their paths in the folder of the program. */
async function digestsOf(folder: string): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const file of await filesIn(folder)) digests[relative(folder, file)] = await digestOf(file);
  return digests;
}
