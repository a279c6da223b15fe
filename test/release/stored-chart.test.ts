import test from 'ava';
import { Int, Slice, type Value } from '../../src/go/value.ts';
import { plainValue, valueOfPlain } from '../../src/release/plain-value.ts';
import { storedChart } from '../../src/release/stored-chart.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('stores files in base64 and leaves out empty fields of Chart.yaml', (t) => {
  const chart = storedChart({
    metadata: {
      apiVersion: 'v2',
      name: 'mini',
      version: '0.1.0',
      home: '',
      keywords: [],
      deprecated: false,
      annotations: {},
      dependencies: [
        {
          name: 'db',
          repository: '',
          version: '1.x',
          importValues: ['data', new Map<string, Value>([['child', 'x']])],
        },
      ],
    },
    values: new Map<string, Value>([['replicas', 2]]),
    schema: bytes('{}'),
    templates: [{ name: 'templates/a.yaml', data: bytes('a: 1\n') }],
    files: [],
    dependencies: [],
    digest: '',
  });
  t.deepEqual(chart, {
    metadata: {
      apiVersion: 'v2',
      name: 'mini',
      version: '0.1.0',
      dependencies: [{ name: 'db', repository: '', version: '1.x', 'import-values': ['data', { child: 'x' }] }],
    },
    lock: null,
    templates: [{ name: 'templates/a.yaml', data: 'YTogMQo=' }],
    values: { replicas: 2 },
    schema: 'e30=',
    files: [],
  });
});

test('converts values to plain JSON data and back', (t) => {
  const value = new Map<string, Value>([
    ['text', 'x'],
    ['number', 1.5],
    ['nothing', null],
    ['list', [true, new Map<string, Value>([['__proto__', 'own']])]],
  ]);
  const plain = plainValue(value);
  t.is(JSON.stringify(plain), '{"text":"x","number":1.5,"nothing":null,"list":[true,{"__proto__":"own"}]}');
  t.deepEqual(valueOfPlain(JSON.parse(JSON.stringify(plain))), value);
});

test('converts integers to numbers and typed slices to lists', (t) => {
  t.deepEqual(plainValue([new Int('int64', 7n), new Slice('string', ['a'])]), [7, ['a']]);
});
