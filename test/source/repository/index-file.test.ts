import test from 'ava';
import { findSections, readIndex } from '../../../src/source/repository/index-file.ts';

function versions(text: string, chart = 'web'): string[] | undefined {
  return readIndex(text, 'https://charts.example/index.yaml')
    .versionsOf(chart)
    ?.map(({ version, urls, digest }) => [version, ...urls, digest].join(' '));
}

const helmsLayout = `apiVersion: v1
entries:
  db:
  - apiVersion: v2
    description: |-
      The one and only:
      web:
    name: db
    urls:
    - db-3.0.0.tgz
    version: 3.0.0
  # the site
  web:
  - apiVersion: v2
    description: a site with a description that continues
      on the next line
    digest: abc
    name: web
    urls:
    - web-2.0.0.tgz
    - https://mirror.example/web-2.0.0.tgz
    version: 2.0.0

  - name: web
    version: 1.0.0
  "last": []
generated: "2024-05-06T07:08:09Z"
`;
const read = ['2.0.0 web-2.0.0.tgz https://mirror.example/web-2.0.0.tgz abc', '1.0.0 '];

/** The same index in several layouts. */
const layouts: Record<string, string> = {
  "Helm's layout": helmsLayout,
  'CRLF line ends': helmsLayout.replaceAll('\n', '\r\n'),
  'a document marker before it': `---\n# made by a machine\n${helmsLayout}`,
  'another document after it': `${helmsLayout}---\nentries:\n  web: []\n`,
  'the fields in another order': helmsLayout.replace('apiVersion: v1\n', '') + 'apiVersion: v1\n',
  'more indentation': helmsLayout.replaceAll(/^ /gm, '   '),
  'indented lists': helmsLayout.replaceAll(/^(?= {2}- | {4})/gm, '  '),
  'quoted keys': helmsLayout.replace('  web:\n  -', `  'web':\n  -`).replace('  db:', '  "db":'),
  'a comment beside a key': helmsLayout.replace('  web:\n  -', '  web: # the site\n  -'),
  'an anchor and an alias': helmsLayout.replace('  db:\n', '  db: &db\n').replace('"last": []', 'last: *db'),
  'a quoted text that leaves its indentation': helmsLayout.replace(
    'name: db\n',
    'name: db\n    home: "https://\nmirror.example"\n',
  ),
};
for (const [layout, text] of Object.entries(layouts)) {
  test(`reads an index with ${layout}`, (t) => {
    t.deepEqual(versions(text), read);
    t.is(readIndex(text, '').chartNames.length, 3);
    t.is(versions(text, 'absent'), undefined);
    t.is(versions(text, 'constructor'), undefined);
  });
}

test('reads an index in JSON', (t) => {
  const web = [
    { name: 'web', version: '2.0.0', urls: ['web-2.0.0.tgz', 'https://mirror.example/web-2.0.0.tgz'], digest: 'abc' },
    { name: 'web', version: '1.0.0', urls: null },
  ];
  const text = JSON.stringify({ apiVersion: 'v1', entries: { web } });
  t.deepEqual(versions(text), read);
  t.is(versions(text, 'constructor'), undefined);
});

test("reads an index in YAML's flow style", (t) => {
  t.deepEqual(versions('{apiVersion: v1, entries: {web: [{name: web, version: 1.0.0}]}}'), ['1.0.0 ']);
});

test("finds sections only if the layout is clearly Helm's", (t) => {
  t.deepEqual([...(findSections(helmsLayout)?.keys() ?? [])], ['db', 'web', 'last']);
  t.is(findSections(helmsLayout.replace('  db:', '  web:')), undefined, 'a duplicate chart');
  for (const odd of ['an anchor and an alias', 'a comment beside a key', 'a quoted text that leaves its indentation']) {
    t.is(findSections(layouts[odd]!), undefined, odd);
  }
});

const skipped: Record<string, string> = {
  'an empty entry': '- ',
  'a text': '- web',
  'no version': '- name: web',
  'no name': '- version: 1.0.0',
  'an invalid version': '- {name: web, version: latest}',
  'a name that is a path': '- {name: ../web, version: 1.0.0}',
  'an unknown type': '- {name: web, version: 1.0.0, type: plugin}',
  'an empty maintainer': '- {name: web, version: 1.0.0, maintainers: [null]}',
  'an empty dependency': '- {name: web, version: 1.0.0, dependencies: [null]}',
  'an invalid alias': '- {name: web, version: 1.0.0, dependencies: [{name: db, alias: a b}]}',
};
for (const [name, entry] of Object.entries(skipped)) {
  test(`skips an entry: ${name}`, (t) => {
    const text = `apiVersion: v1\nentries:\n  web:\n  ${entry}\n  - {name: web, version: 2.0.0}\n`;
    t.deepEqual(versions(text), ['2.0.0 ']);
  });
}

test('accepts an entry with two dependencies of the same name, as Helm does', (t) => {
  const entry = '{name: web, version: 1.0.0, dependencies: [{name: db, alias: ""}, {name: db}]}';
  t.deepEqual(versions(`apiVersion: v1\nentries:\n  web:\n  - ${entry}\n`), ['1.0.0 ']);
});

test('reads a version that is a YAML number as the text that Go converts it to', (t) => {
  t.deepEqual(versions('apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.10\n'), ['1.1 ']);
});

test('parses little more than the entries of the chart in a large index', (t) => {
  const entry = '  - name: chart\n    description: something that takes a while to read\n    version: 1.0.0\n';
  const charts = Array.from({ length: 3000 }, (_, i) => `  chart-${i}:\n${entry.repeat(50)}`);
  const text = `apiVersion: v1\nentries:\n${charts.join('')}`;
  const start = process.cpuUsage();
  t.is(versions(text, 'chart-2999')?.length, 50);
  const milliseconds = process.cpuUsage(start).user / 1000;
  t.true(milliseconds < 1000, `${text.length} characters took ${milliseconds} ms`);
});

test('refuses an index in JSON with too many values before it is parsed', (t) => {
  const text = `{"apiVersion":"v1","entries":{"web":[${'[],'.repeat(500_000)}[]]}}`;
  t.throws(() => versions(text), { code: 'too_large' });
});
