import { globSync } from 'node:fs';
import test from 'ava';
import * as z from 'zod';
import { commands } from '../../src/protocol/commands/index.ts';
import { maximumOf, validate } from '../../src/protocol/validation.ts';

/** The exports of all modules with schemas of what others send. */
async function exportedSchemas(): Promise<[name: string, schema: z.ZodType][]> {
  const files = globSync(['src/protocol/**/*.ts', 'src/control-plane/{api,new-command}.ts']);
  const modules = await Promise.all(
    files.map(async (file) => [file, (await import(`../../${file}`)) as Record<string, unknown>] as const), // a namespace
  );
  return modules.flatMap(([file, exports]) =>
    Object.entries(exports).flatMap(([name, value]) => schemasOf(value, `${file} ${name}`)),
  );
}

/** Returns a schema, or those in an object of schemas. */
function schemasOf(value: unknown, name: string): [string, z.ZodType][] {
  if (value instanceof z.ZodType) return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, each]): [string, z.ZodType][] =>
    each instanceof z.ZodType ? [[`${name}.${field}`, each]] : [],
  );
}

/** Yields the paths of all texts, lists and maps without a maximum. */
function* unbounded(schema: z.core.$ZodType, path: string, seen = new Set<z.core.$ZodType>()): Generator<string> {
  if (seen.has(schema)) return;
  seen.add(schema);
  const isText = schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;
  if (isText && schema.maxLength === null) yield path;
  if (schema instanceof z.ZodArray && maximumOf(schema) === Infinity) yield path;
  if (schema instanceof z.ZodRecord && !hasFewFields(schema)) yield path;
  for (const [name, part] of partsOf(schema)) yield* unbounded(part, `${path}${name}`, new Set(seen));
}

/** Whether a map has names of a list, or a maximum of fields. */
function hasFewFields(schema: z.ZodRecord): boolean {
  const key: unknown = schema.keyType;
  return key instanceof z.ZodEnum || typeof schema.meta()?.['maxProperties'] === 'number';
}

function partsOf(schema: z.core.$ZodType): [name: string, part: z.core.$ZodType][] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.ZodRawShape).map(([name, part]) => [`.${name}`, part]);
  }
  if (schema instanceof z.ZodArray) return [['[]', schema.element]];
  if (schema instanceof z.ZodRecord) {
    return [
      ['{name}', schema.keyType],
      ['{}', schema.valueType],
    ];
  }
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => ['', option]);
  if (schema instanceof z.ZodPipe) {
    return [
      ['', schema.in],
      ['', schema.out],
    ];
  }
  const isWrapper = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodCatch, z.ZodReadonly].some(
    (wrapper) => schema instanceof wrapper,
  );
  if (isWrapper) return [['', (schema as z.ZodOptional).unwrap()]]; // all of these have it
  const isPlain = [
    ...[
      z.ZodString,
      z.ZodStringFormat,
      z.ZodNumber,
      z.ZodBoolean,
      z.ZodEnum,
      z.ZodLiteral,
      z.ZodUnknown,
      z.ZodTransform,
      z.ZodUndefined,
    ],
  ].some((plain) => schema instanceof plain);
  if (!isPlain) throw new Error(`this test does not know ${schema._zod.def.type}`);
  return [];
}

const schemas = await exportedSchemas();

test('every text, list and map in every schema has a maximum', (t) => {
  t.true(schemas.length > 40);
  const all = [
    ...schemas,
    ...Object.entries(commands).flatMap(([type, { payload, answer }]): [string, z.ZodType][] => [
      [type, payload],
      [`${type} answer`, answer],
    ]),
  ];
  t.deepEqual(
    all.flatMap(([name, schema]) => [...unbounded(schema, name)]),
    [],
  );
});

test('finds texts, lists and maps without a maximum at any place', (t) => {
  const schema = z.object({
    text: z.string().optional(),
    list: z.array(z.union([z.number(), z.string().max(2)])),
    map: z.record(z.string().max(2), z.number()),
    read: z.string().transform(Number).nullish(),
  });
  t.deepEqual([...unbounded(schema, '')], ['.text', '.list', '.map', '.read']);
});

const long = 'hunter2'.repeat(100_000);

const rows: [type: keyof typeof commands, payload: object, problem: string][] = [
  [
    'install_release',
    { releaseName: long, chartName: 'web' },
    'releaseName must have at most 253 characters, but has 700000',
  ],
  [
    'install_release',
    { releaseName: 'web', chartName: long },
    'chartName must have at most 8192 characters, but has 700000',
  ],
  [
    'install_release',
    { releaseName: 'web', chartName: 'web', timeout: long },
    'timeout must have at most 64 characters, but has 700000',
  ],
  [
    'install_release',
    { releaseName: 'web', chartName: 'web', settle: long },
    'settle must have at most 64 characters, but has 700000',
  ],
  [
    'install_release',
    { releaseName: 'web', chartName: 'web', stepTimeouts: { wait: long } },
    'stepTimeouts.wait must have at most 64 characters, but has 700000',
  ],
  [
    'install_release',
    {
      releaseName: 'web',
      chartName: 'web',
      labels: Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [i, 'x'])),
    },
    'labels must have at most 1000 fields, but has 2000',
  ],
  ['list_releases', { filter: long }, 'filter must have at most 4096 characters, but has 700000'],
  ['list_releases', { selector: long }, 'selector must have at most 4096 characters, but has 700000'],
  [
    'test_release',
    { releaseName: 'web', include: [long] },
    'include[0] must have at most 253 characters, but has 700000',
  ],
];

for (const [type, payload, problem] of rows) {
  test(`${type}: ${problem}`, (t) => {
    const schema: z.ZodType = commands[type].payload;
    t.deepEqual(validate(schema, payload, 'the value'), { problems: [problem] });
  });
}
