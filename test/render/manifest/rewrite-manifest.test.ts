import test from 'ava';
import { parseImagePrefix } from '../../../src/objects/images/image-reference.ts';
import type { ImageRules } from '../../../src/objects/images/rewrite-images.ts';
import { readObjects } from '../../../src/render/manifest/read-objects.ts';
import { rewriteManifest } from '../../../src/render/manifest/rewrite-manifest.ts';
import { readTypedYaml } from '../../../src/yaml/read.ts';

const prefixOf = (text: string) => parseImagePrefix(text) ?? { registry: '' };
const rules: ImageRules = {
  mirrors: [{ from: prefixOf('docker.io'), to: 'mirror.internal/hub' }],
  pullSecrets: [{ registries: [prefixOf('mirror.internal')], name: 'pull' }],
};
const rewrite = (text: string, given = rules) => rewriteManifest(text, given, 'shop');
const objectsOf = (text: string) => Array.from(readObjects(text, ''), ({ object }) => object);

const pod = (fields = '') => `containers: [{ name: a, image: nginx }]${fields}`;
const kinds: Record<string, string> = {
  Pod: `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { ${pod()} }\n`,
  PodTemplate: `apiVersion: v1\nkind: PodTemplate\nmetadata: { name: a }\ntemplate: { spec: { ${pod()} } }\n`,
  CronJob: `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: a }\nspec: { jobTemplate: { spec: { template: { spec: { ${pod()} } } } } }\n`,
};
for (const kind of ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController']) {
  const group = kind === 'Job' ? 'batch/v1' : kind === 'ReplicationController' ? 'v1' : 'apps/v1';
  kinds[kind] =
    `apiVersion: ${group}\nkind: ${kind}\nmetadata: { name: a }\nspec: { template: { spec: { ${pod()} } } }\n`;
}
for (const [kind, text] of Object.entries(kinds)) {
  test(`images and pull secrets of a ${kind} are changed`, (t) => {
    const changed = JSON.stringify(objectsOf(rewrite(text)));
    t.true(changed.includes('"image":"mirror.internal/hub/library/nginx"'));
    t.true(changed.includes('"imagePullSecrets":[{"name":"pull"}]'));
    t.is(rewrite(rewrite(text)), rewrite(text), 'once is enough');
  });
}

const list = `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify(objectsOf(kinds['Pod'] ?? '')[0])}\n`;
test('objects of a list are changed', (t) => {
  const [found] = objectsOf(rewrite(list));
  t.like(found, { spec: { imagePullSecrets: [{ name: 'pull' }] } });
});

test('all kinds of containers and volumes of images are changed', (t) => {
  const text = `apiVersion: v1
kind: Pod
metadata: { name: a }
spec:
  initContainers: [{ name: i, image: a/b }]
  ephemeralContainers: [{ name: e, image: c/d:1 }]
  containers: [{ name: c, image: "docker.io/e/f" }, { name: d }, { name: e, image: 7 }, null, text]
  volumes: [{ name: v, image: { reference: g/h } }]
`;
  const images = [...rewrite(text).matchAll(/mirror\.internal\/hub\/(\S+)/g)].map(([, image]) => image);
  t.deepEqual(images.sort(), ['a/b', 'c/d:1', 'e/f', 'g/h']);
});

test('documents without a change stay byte for byte, and others keep their comments', (t) => {
  const before =
    '---\n# Source: web/templates/a.yaml\nkind:   ConfigMap # "odd"\napiVersion: v1\nmetadata: {name:  a}\n';
  const text = `${before}--- # more\n# Source: web/templates/b.yaml\n\n${kinds['Pod'] ?? ''}${before}`;
  const changed = rewrite(text);
  t.true(changed.startsWith(`${before}--- # more\n# Source: web/templates/b.yaml\n\napiVersion: v1\n`));
  t.true(changed.endsWith(before));
  t.is(rewrite(text, { mirrors: [], pullSecrets: [] }), text);
  t.is(rewrite('not: [yaml'), 'not: [yaml');
  t.is(rewrite(''), '');
});

test('numbers, strings and booleans keep their types', (t) => {
  const fields = `, x: [1, 1000000, 9007199254740993, 0x10, 1.5, 1e3, "1", "yes", yes, null, ~, "a: b", "0o7", 2001-01-01]`;
  const text = `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { ${pod(fields)} }\n`;
  const spec = (source: string) => (objectsOf(source)[0]?.['spec'] as { x?: unknown } | undefined)?.x;
  t.deepEqual(spec(rewrite(text)), spec(text));
});

test('definitions of kinds are left, and pods of other kinds get mirrors without pull secrets', (t) => {
  const definition = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: a }\nspec: { ${pod()} }\n`;
  t.is(rewrite(definition), definition);
  const rollout = `apiVersion: argoproj.io/v1\nkind: Rollout\nmetadata: { name: a }\nspec: { template: { spec: { ${pod()} } } }\n`;
  const changed = rewrite(rollout);
  t.true(changed.includes('mirror.internal/hub/library/nginx'));
  t.false(changed.includes('imagePullSecrets'));
});

test('pull secrets are added once, to pods that need them', (t) => {
  const secretsOf = (fields: string, image = 'nginx', namespace = 'shop') => {
    const text = `apiVersion: v1\nkind: Pod\nmetadata: { name: a, namespace: ${namespace} }\nspec: { containers: [{ name: a, image: "${image}" }]${fields} }\n`;
    return (objectsOf(rewrite(text))[0]?.['spec'] as { imagePullSecrets?: unknown } | undefined)?.imagePullSecrets;
  };
  t.deepEqual(secretsOf(''), [{ name: 'pull' }]);
  t.deepEqual(secretsOf(', imagePullSecrets: [{ name: own }]'), [{ name: 'own' }, { name: 'pull' }]);
  t.deepEqual(secretsOf(', imagePullSecrets: [{ name: pull }]'), [{ name: 'pull' }]);
  t.deepEqual(secretsOf(', imagePullSecrets: null'), [{ name: 'pull' }]);
  t.is(secretsOf(', imagePullSecrets: text'), 'text');
  t.is(secretsOf('', 'ghcr.io/a/b'), undefined);
  t.is(secretsOf('', 'mirror.internal.evil.com/a'), undefined);
  t.is(secretsOf('', 'nginx', 'other'), undefined);
});

test('keys that are written in another way are found', (t) => {
  const text = `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { "c\\u006fntainers": [{ name: a, "im\\u0061ge": nginx }] }\n`;
  t.true(rewrite(text).includes('mirror.internal/hub/library/nginx'));
});

test('aliases are changed, and deep and wide documents take linear time', (t) => {
  const aliased = `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { initContainers: &c [{ name: a, image: nginx }], containers: *c }\n`;
  t.is([...rewrite(aliased).matchAll(/mirror\.internal\/hub\/library\/nginx/g)].length, 2);
  const wide = `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [${'{ image: nginx },'.repeat(20_000)}] }\n`;
  t.is([...rewrite(wide).matchAll(/mirror\.internal/g)].length, 20_000);
});

const unusual = {
  DEL: '\\u007f',
  'U+FFFE': '\\ufffe',
  'U+FFFF': '\\uffff',
  'U+0085': '\\u0085',
  'U+2028': '\\u2028',
  'a byte order mark': '\\ufeff',
  'a merge key': '<<',
  'a line': 'a\\n--- b\\n',
  'a long key': 'x\\u007f'.repeat(200),
  'a whole number': '12345678901234567890\\u007f',
};
for (const [name, text] of Object.entries(unusual)) {
  const shapes = { value: `{ v: "${text}" }`, key: `{ ? "${text}" : { a: 1 } }`, item: `["${text}", "a${text}b"]` };
  for (const [shape, field] of Object.entries(shapes)) {
    test(`${name} as ${shape} of a changed document stays as it is`, (t) => {
      const numbers = '[1, -0, 1.10, 1e30, 9223372036854775807, 18446744073709551615, 0x1F, true, ~, "1"]';
      const document = (image: string) =>
        `# Source: a\napiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ image: ${image} }] }\nx: ${field}\nz: ${numbers}\n`;
      const changed = rewrite(document('nginx'), { ...rules, pullSecrets: [] });
      t.true(changed.startsWith('# Source: a\n'));
      t.deepEqual(readTypedYaml(changed), readTypedYaml(document('mirror.internal/hub/library/nginx')));
      t.deepEqual(objectsOf(changed), objectsOf(document('mirror.internal/hub/library/nginx')));
      t.notRegex(changed, /^---/m);
    });
  }
}

test('a document that YAML as Helm writes it can hold is not written as JSON', (t) => {
  t.regex(rewrite(kinds['Pod'] ?? ''), /^apiVersion: v1\nkind: Pod\n/);
});
