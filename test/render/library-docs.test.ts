import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { documentedExamples } from '../../tools/documented-examples.ts';

const root = new URL('../../', import.meta.url);

/** Returns the source module of a published entry. */
async function sourceOf(entry: string): Promise<string> {
  const { exports } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  const built = exports[entry]?.default ?? '';
  return new URL(built.replace(/^\.\/dist\//, 'src/').replace(/\.js$/, '.ts'), root).href;
}

for (const { title, code } of await documentedExamples('helm-agent/render')) {
  test(`the example runs: ${title}`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'helm-agent-example-'));
    t.teardown(() => rm(folder, { recursive: true }));
    const file = join(folder, 'example.ts');
    await writeFile(file, code.replaceAll(`'helm-agent/render'`, JSON.stringify(await sourceOf('./render'))));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: fileURLToPath(root) });
    t.is(stderr, '');
    t.regex(stdout, /\S/);
  });
}
