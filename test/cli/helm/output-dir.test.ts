import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { helmHome } from './support/helm-home.ts';

const hook = 'metadata: {annotations: {helm.sh/hook: pre-install}}';
const chart = {
  'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'crds/a.yaml': 'kind: A\n---\n# Source: web/templates/other.yaml\nkind: B\n',
  'templates/both.yaml': `kind: C\n---\nkind: D\n---\nkind: E\n${hook}\n`,
  'templates/hook.yaml': `kind: F\n${hook}\n`,
};

/** The chart in a folder, which commands write to the folder `out` beside it. */
async function chartHome(t: ExecutionContext, files: Readonly<Record<string, string>> = chart) {
  const { home, helm } = await helmHome(t);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, 'web', name)), { recursive: true });
    await writeFile(join(home, 'web', name), text);
  }
  const out = join(home, 'out');
  return {
    home,
    out,
    template: (...args: string[]) => helm('template', 'r', join(home, 'web'), '--output-dir', ...args),
  };
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const;
  return Object.fromEntries(await Promise.all(paths.map(read)));
}

// the texts are those of helm 4.2.4: helm template r web --output-dir out --include-crds
const crds = '---\n# Source: web/crds/a.yaml\nkind: A\n---\n# Source: web/templates/other.yaml\nkind: B\n\n';
const source = '---\n# Source: web/templates/';
const manifests = `${source}both.yaml\nkind: C\n\n${source}both.yaml\nkind: D\n\n`;
const hooks = { both: `${source}both.yaml\nkind: E\n${hook}\n\n`, own: `${source}hook.yaml\nkind: F\n${hook}\n\n` };

test('template --output-dir writes each file of a chart to the path of its template', async (t) => {
  const { out, template } = await chartHome(t);
  const { stdout, code } = await template(out, '--include-crds');
  const both = 'wrote HOME/out/web/templates/both.yaml\n';
  const expected = `wrote HOME/out/web/crds/a.yaml\n${both}${both}${both}wrote HOME/out/web/templates/hook.yaml\n\n`;
  t.deepEqual({ stdout, code }, { stdout: expected, code: 0 });
  t.deepEqual(await filesIn(out), {
    'web/crds/a.yaml': crds,
    'web/templates/both.yaml': manifests + hooks.both,
    'web/templates/hook.yaml': hooks.own,
  });
});

test('template --output-dir adds hooks to a file that is there, and replaces manifests', async (t) => {
  const { out, template } = await chartHome(t);
  await template(out);
  await template(out);
  t.deepEqual(await filesIn(out), {
    'web/templates/both.yaml': manifests + hooks.both,
    'web/templates/hook.yaml': hooks.own + hooks.own,
  });
});

test('template --output-dir --release-name writes CRDs beside the folder of the release', async (t) => {
  const { out, template } = await chartHome(t);
  await template(out, '--include-crds', '--release-name', '--no-hooks');
  t.deepEqual(await filesIn(out), { 'web/crds/a.yaml': crds, 'r/web/templates/both.yaml': manifests });
});

test('template --output-dir writes all files, and then does not find a template to show', async (t) => {
  const { out, template } = await chartHome(t);
  const { stderr, code } = await template(out, '-s', 'templates/both.yaml');
  t.deepEqual({ stderr, code }, { stderr: 'Error: could not find template templates/both.yaml in chart\n', code: 1 });
  t.deepEqual(Object.keys(await filesIn(out)).toSorted(), ['web/templates/both.yaml', 'web/templates/hook.yaml']);
});

const debug = '\n\nUse --debug flag to render out invalid YAML';
const refused = test.macro({
  title: (_, what: string) => `template --output-dir says that ${what}`,
  async exec(t, _: string, [obstacle, kind]: readonly [string, 'file' | 'folder'], message: string, stdout = '') {
    const { home, template } = await chartHome(t);
    const path = join(home, obstacle);
    await mkdir(kind === 'folder' ? path : dirname(path), { recursive: true });
    if (kind === 'file') await writeFile(path, '');
    t.deepEqual(await template(join(home, 'out')), { stdout, stderr: `Error: ${message}\n`, code: 1 });
  },
});

// helm template r web --output-dir out, after mkdir or touch
const templates = 'HOME/out/web/templates';
test(refused, 'the folder is a file', ['out', 'file'], `stat ${templates}: not a directory${debug}`);
test(
  refused,
  'a file has the name of a folder',
  ['out/web/templates', 'file'],
  `mkdir ${templates}: not a directory${debug}`,
);
test(
  refused,
  'a folder has the name of a manifest',
  ['out/web/templates/both.yaml', 'folder'],
  `open ${templates}/both.yaml: is a directory${debug}`,
);
test(
  refused,
  'a folder has the name of a hook, after the manifests are written',
  ['out/web/templates/hook.yaml', 'folder'],
  `open ${templates}/hook.yaml: is a directory`,
  `wrote ${templates}/both.yaml\n`.repeat(3),
);
