import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { flagValues } from '../../../src/cli/pflag/flag-values.ts';
import { parseFlags } from '../../../src/cli/pflag/parse-flags.ts';
import { givenManifests, manifestFlags } from '../../../src/cli/verb/manifest-flags.ts';

/** Returns the manifests of a command line on a machine with some files and one folder. */
function manifestsOf(args: readonly string[], files: Readonly<Record<string, string | Uint8Array>>, folder = '') {
  const { given } = parseFlags(manifestFlags, args);
  return givenManifests(flagValues(manifestFlags, given), {
    isFolder: (path) => Promise.resolve(path === folder),
    readFile(path) {
      const content = files[path];
      if (content === undefined) return Promise.reject(new Error(`ENOENT: ${path}`));
      return Promise.resolve(typeof content === 'string' ? Buffer.from(content) : content);
    },
  });
}

test('manifests are those of files and stdin, in their order', async (t) => {
  const files = { '-': 'kind: A', 'b.yaml': '\ufeffkind: B\n' };
  t.deepEqual(await manifestsOf(['-f', '-', '--filename', 'b.yaml'], files), {
    manifests: 'kind: A\n---\nkind: B\n',
  });
});

test('a folder has the manifests with their endings, in the order of their names', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'more'));
  const names = ['b.yml', 'a.yaml', 'c.json', 'values.txt', 'more/d.yaml'];
  for (const name of names) await writeFile(join(folder, name), '');
  const files = Object.fromEntries(names.map((name) => [join(folder, name), name]));
  const { manifests } = await manifestsOf(['-f', folder], files, folder);
  t.is(manifests, 'a.yaml\n---\nb.yml\n---\nc.json');
});

const refuses = test.macro({
  async exec(t, args: readonly string[], message: RegExp) {
    const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
    t.teardown(() => rm(folder, { recursive: true }));
    const files = { bytes: Uint8Array.of(0x61, 0xff) };
    const given = args.map((arg) => (arg === 'FOLDER' ? folder : arg));
    await t.throwsAsync(manifestsOf(given, files, folder), { message });
  },
  title: (name) => `refuses ${name}`,
});
test('no manifests', refuses, [], /^name the manifests with -f FILE/);
test('a file that does not exist', refuses, ['-f', 'missing'], /ENOENT: missing/);
test('a file that is not UTF-8', refuses, ['-f', 'bytes'], /^bytes is not text in UTF-8$/);
test('a folder without manifests', refuses, ['-f', 'FOLDER'], /has no file that ends with \.yaml, \.yml, \.json$/);
