import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';

const hook = new URL('../../src/bin/direct-imports.ts', import.meta.url).href;

/** Imports a.mjs of a folder with some files in another process, and returns what it prints. */
async function run(t: ExecutionContext, files: Record<string, string>, links: Record<string, string> = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'direct-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  for (const [link, file] of Object.entries(links)) await symlink(join(folder, file), join(folder, link));
  const url = pathToFileURL(`${folder}/`).href;
  const script = `
    const { importDirectly } = await import(${JSON.stringify(hook)});
    importDirectly(${JSON.stringify(url)});
    await import(${JSON.stringify(`${url}a.mjs`)}).catch((error) => console.log(error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout.replaceAll(url, '').replaceAll(folder, '').trim();
}

const printsUrl = 'console.log(import.meta.url);';

test('a file of the folder is imported by its path, also if it is a link', async (t) => {
  const files = { 'a.mjs': "import './b.mjs';", 'c.mjs': printsUrl };
  t.is(await run(t, files, { 'b.mjs': 'c.mjs' }), 'b.mjs');
});

test('TypeScript is imported too, with its types left out', async (t) => {
  const files = { 'a.mjs': "await import('./b/c.ts');", 'b/c.ts': "import '../d.ts';", 'd.ts': 'console.log(1 as 1);' };
  t.is(await run(t, files), '1');
});

test('the files of a package, and packages, are found as Node finds them', async (t) => {
  const files = {
    'a.mjs': "import 'pack'; import fs from 'node:fs'; console.log(typeof fs.stat);",
    'node_modules/pack/package.json': '{"exports": {"import": "./index.mjs"}}',
    'node_modules/pack/index.mjs': "import './b.mjs'; import './d.cjs';",
    'node_modules/pack/c.mjs': printsUrl,
    'node_modules/pack/d.cjs': "require('./e');",
    'node_modules/pack/e.js': 'console.log(module.id.length > 0);',
  };
  const output = await run(t, files, { 'node_modules/pack/b.mjs': 'node_modules/pack/c.mjs' });
  t.is(output, 'node_modules/pack/c.mjs\ntrue\nfunction');
});

test('an import of a file that does not exist fails with its path', async (t) => {
  t.regex(await run(t, { 'a.mjs': "import './none.mjs';" }), /no such file or directory.*\/none\.mjs/);
});
