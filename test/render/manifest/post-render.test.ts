import test from 'ava';
import { postRendered, type PostRenderStrategy } from '../../../src/render/manifest/post-render.ts';
import { RenderError } from '../../../src/render/render-error.ts';

const annotation = 'postrenderer.helm.sh/postrender-filename';

const configMap = `# comment at the top
apiVersion: v1
kind: ConfigMap # here
metadata:
  name: a
data:
  list: |
    - one
      two
`;
const hook = `kind: Job
metadata:
  name: migrate
  annotations:
    # why
    "helm.sh/hook": pre-install
`;
const files = new Map([
  ['web/templates/b.yaml', '---\nkind: Service\n'],
  ['web/templates/a.yaml', `${configMap}---\n# only a comment\n---${hook}`],
]);

test('passes all documents to the post-renderer in the order of their files, with the file names', async (t) => {
  const seen: string[] = [];
  await postRendered(files, (text) => {
    seen.push(text);
    return text;
  });
  t.deepEqual(seen, [
    `# comment at the top
apiVersion: v1
kind: ConfigMap # here
metadata:
  annotations:
    ${annotation}: "web/templates/a.yaml"
  name: a
data:
  list: |
    - one
      two
---
kind: Job
metadata:
  name: migrate
  annotations:
    # why
    ${annotation}: "web/templates/a.yaml"
    "helm.sh/hook": pre-install
---
metadata:
  annotations:
    ${annotation}: "web/templates/b.yaml"
kind: Service
`,
  ]);
});

test('keeps documents that the post-renderer does not change, and drops empty ones', async (t) => {
  t.deepEqual(Object.fromEntries(await postRendered(files, (text) => text)), {
    'web/templates/a.yaml': `${configMap}---\n${hook}`,
    'web/templates/b.yaml': 'kind: Service\n',
  });
});

const keeps = test.macro<[document: string, annotated: string]>({
  async exec(t, document, annotated) {
    let seen = '';
    const rendered = await postRendered(new Map([['f', document]]), (text) => (seen = text));
    t.is(seen, annotated);
    t.deepEqual([...rendered], [['f', document]]);
  },
  title: (_, document) => `goes through unchanged: ${JSON.stringify(document)}`,
});

test(keeps, '{"kind": "A"}\n', `{"metadata": {"annotations": {"${annotation}": "f"}}, "kind": "A"}\n`);
test(keeps, '{"metadata": {"name": "a"}}\n', `{"metadata": {"annotations": {"${annotation}": "f"}, "name": "a"}}\n`);
test(
  keeps,
  '{"metadata": {"annotations": {"b": "c"}}}\n',
  `{"metadata": {"annotations": {"${annotation}": "f", "b": "c"}}}\n`,
);
test(keeps, 'kind: A\nmetadata: {name: a}\n', `kind: A\nmetadata: {"annotations": {"${annotation}": "f"}, name: a}\n`);
test(
  keeps,
  'kind: A\nmetadata:\n     name: a\n',
  `kind: A\nmetadata:\n     annotations:\n       ${annotation}: "f"\n     name: a\n`,
);
test(keeps, 'a: &x\n  b: c\nd: *x\n', `metadata:\n  annotations:\n    ${annotation}: "f"\na: &x\n  b: c\nd: *x\n`);

test('adds the annotation to empty mappings and null, and removes it again', async (t) => {
  const rendered = await postRendered(
    new Map([
      ['a', 'kind: A\nmetadata: # nothing\n'],
      ['b', 'kind: B\nmetadata: {}\n'],
      ['c', 'kind: C\nmetadata:\n  annotations: null\n  name: c\n'],
      ['d', '{}\n'],
    ]),
    (text) => text,
  );
  t.deepEqual(Object.fromEntries(rendered), {
    a: 'kind: A\n',
    b: 'kind: B\n',
    c: 'kind: C\nmetadata:\n  name: c\n',
    d: '{}\n',
  });
});

test('replaces an annotation of the same name in a template', async (t) => {
  const text = `metadata:\n  name: x\n  annotations:\n    ${annotation}: elsewhere\n`;
  const rendered = await postRendered(new Map([['f', text]]), (merged) => merged);
  t.deepEqual([...rendered], [['f', 'metadata:\n  name: x\n']]);
});

const reads = test.macro<[output: string, expected: Record<string, string>]>({
  async exec(t, output, expected) {
    t.deepEqual(Object.fromEntries(await postRendered(new Map(), () => Promise.resolve(output))), expected);
  },
  title: (_, output) => `reads back ${JSON.stringify(output)}`,
});

test(reads, '', {});
test(reads, '# nothing\n---\nnull\n', {});
test(reads, 'a: 1', { 'generated-by-postrender-0.yaml': 'a: 1\n' });
test(reads, '---\na: 1\n--- # next\n\nb: 2\n---\n', {
  'generated-by-postrender-0.yaml': 'a: 1\n',
  'generated-by-postrender-1.yaml': '\nb: 2\n',
});
test(reads, `a: 1\r\nmetadata: {annotations: {${annotation}: f}}\r\n`, { f: 'a: 1\n' });
test(reads, `metadata:\n  annotations:\n    x: y\n    ${annotation}: >-\n      f\nb: 2\n`, {
  f: 'metadata:\n  annotations:\n    x: y\nb: 2\n',
});
test(reads, `metadata: {annotations: {x: y, '${annotation}': 'f'}, name: n}\n`, {
  f: 'metadata: {annotations: {x: y}, name: n}\n',
});
test(reads, `metadata: {annotations: {? ${annotation} : f, x: y}, name: n}\n`, {
  f: 'metadata: {annotations: {? x: y}, name: n}\n',
});

const byStrategy = test.macro<[strategy: PostRenderStrategy, calls: RegExp[], job: string]>({
  async exec(t, strategy, calls, job) {
    const seen: string[] = [];
    const rendered = await postRendered(
      files,
      (text) => {
        seen.push(text.replaceAll(/\s+/g, ' '));
        return `${text.replace('name: migrate', 'name: changed')}---\nkind: New\n`;
      },
      strategy,
    );
    t.is(seen.length, calls.length);
    calls.forEach((call, i) => t.regex(seen[i] ?? '', call));
    t.regex(rendered.get('web/templates/a.yaml') ?? '', new RegExp(`name: ${job}`));
    t.regex(rendered.get('web/templates/a.yaml') ?? '', /name: a\n/);
    const added = [...rendered.keys()].filter((path) => path.startsWith('generated'));
    t.is(added.length, calls.length);
  },
  title: (_, strategy) => `hooks go through as the strategy ${strategy} says`,
});

test(byStrategy, 'combined', [/ConfigMap.*Job.*Service/], 'changed');
test(byStrategy, 'separate', [/^kind: Job(?!.*(?:ConfigMap|Service))/, /^(?!.*Job).*ConfigMap.*Service/], 'changed');
test(byStrategy, 'nohooks', [/^(?!.*Job).*ConfigMap.*Service/], 'migrate');

const fails = test.macro<[run: () => unknown, message: RegExp]>({
  async exec(t, run, message) {
    const error = await t.throwsAsync(postRendered(files, run as () => string), { instanceOf: RenderError, message });
    t.is(error.code, 'post_render_failed');
  },
  title: (_, run) => `fails with what went wrong: ${String(run)}`,
});

test(
  fails,
  () => {
    throw new Error('out of order');
  },
  /^error while running post render on files: out of order$/,
);
test(fails, () => Promise.reject(new Error('later')), /^error while running post render on files: later$/);
test(fails, () => undefined, /^error while running post render on files: it must return a text, not undefined$/);
test(fails, () => 'invalid: yaml: content:', /^error while parsing post rendered output: error parsing YAML: /);
test(fails, () => 'a: 1\n---b: 2\n', /invalid document separator: ---b: 2$/);

test('names a file that is not a YAML mapping', async (t) => {
  for (const text of ['a: b: c', 'just text', '- a', 'metadata: text', 'metadata:\n  annotations: []']) {
    const error = await t.throwsAsync(
      postRendered(new Map([['web/templates/x.yaml', text]]), (merged) => merged),
      { instanceOf: RenderError, message: /^error merging manifests: annotating web\/templates\/x.yaml: / },
    );
    t.deepEqual(error.position, { file: 'web/templates/x.yaml' });
  }
});
