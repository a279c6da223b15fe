// The texts are those of helm 4.2.4: `helm repo index FOLDER --merge FILE` with each text as FILE.
import test from 'ava';
import { indexYaml } from '../../../src/source/repository/index-document.ts';
import { readIndexDocument } from '../../../src/source/repository/read-index-document.ts';

const refuses = test.macro<[text: string, message: string]>({
  title: (name = '') => `an index to merge is refused: ${name}`,
  exec(t, text, message) {
    t.throws(() => readIndexDocument(text, t.fail), { message });
  },
});
const inYaml = (message: string) => `error unmarshaling JSON: while decoding JSON: ${message}`;
const entry = (fields: string) => `apiVersion: v1\nentries: {x: [{name: x, version: 1.0.0, ${fields}}]}\n`;

test('an empty file', refuses, '', 'empty index.yaml file');
test('a list', refuses, '- a\n', inYaml('json: cannot unmarshal array into Go value of type repo.IndexFile'));
test('another document', refuses, 'nested: {d: 5}\n', inYaml('json: unknown field "nested"'));
test('no API version', refuses, 'entries: {}\n', 'no API version specified');
test(
  'a list of entries',
  refuses,
  'apiVersion: v1\nentries: []\n',
  inYaml('json: cannot unmarshal array into Go struct field IndexFile.entries of type map[string]repo.ChartVersions'),
);
test('a field that an entry does not have', refuses, entry('extra: 1'), inYaml('json: unknown field "extra"'));
test(
  'URLs that are not a list',
  refuses,
  entry('urls: u'),
  inYaml('json: cannot unmarshal string into Go struct field ChartVersion.entries.urls of type []string'),
);
test(
  'a time of another form',
  refuses,
  entry('created: bad'),
  inYaml('parsing time "bad" as "2006-01-02T15:04:05Z07:00": cannot parse "bad" as "2006"'),
);

test('an index in JSON may have other fields', (t) => {
  const text = '{"apiVersion":"v1","other":1,"entries":{"x":[{"name":"x","version":"1.0.0","extra":1}]}}';
  t.deepEqual(
    readIndexDocument(text, t.fail).map(({ metadata: { name, version } }) => [name, version]),
    [['x', '1.0.0']],
  );
});

test('entries that are not valid are left out, from the last one to the first', (t) => {
  const skipped: unknown[] = [];
  const text = 'apiVersion: v1\nentries: {x: [{name: x, version: bad}, null, {name: x, version: 2.0.0}]}\n';
  const read = readIndexDocument(text, (...line) => skipped.push(line));
  t.deepEqual(
    read.map(({ metadata: { version } }) => version),
    ['2.0.0'],
  );
  t.deepEqual(skipped, [
    ['x', undefined, 'empty entry'],
    ['x', 'bad', 'validation: chart.metadata.version "bad" is invalid'],
  ]);
});

test('an entry without URLs is written as it was read, with the fields of old indexes', (t) => {
  const entries = readIndexDocument(entry('checksum: c, engine: gotpl'), t.fail);
  t.is(
    indexYaml({ generated: '2026-01-01T00:00:00Z', entries }),
    [
      'apiVersion: v1',
      'entries:',
      '  x:',
      '  - apiVersion: v1',
      '    checksum: c',
      '    created: "0001-01-01T00:00:00Z"',
      '    engine: gotpl',
      '    name: x',
      '    urls: null',
      '    version: 1.0.0',
      'generated: "2026-01-01T00:00:00Z"',
      '',
    ].join('\n'),
  );
});
