import test from 'ava';
import * as z from 'zod';
import { commandTypes, payloadReaders } from '../../src/protocol/commands/index.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas } from '../../src/protocol/messages.ts';
import { explainIssue, validate } from '../../src/protocol/validation.ts';

const problems: [title: string, schema: z.ZodType, value: unknown, text: string][] = [
  ['a missing string', z.string(), undefined, 'is required'],
  ['a missing number', z.number(), undefined, 'is required'],
  ['a missing choice', z.enum(['a', 'b']), undefined, 'is required'],
  ['a missing union', z.union([z.string(), z.number()]), undefined, 'is required'],
  ['null for a string', z.string(), null, 'must be a string'],
  ['a number for a string', z.string(), 1, 'must be a string'],
  ['a string for a number', z.number(), 'secret', 'must be a number'],
  ['NaN for a number', z.number(), NaN, 'must be a number'],
  ['a fraction for a whole number', z.int(), 1.5, 'must be a whole number'],
  ['a string for a boolean', z.boolean(), 'secret', 'must be true or false'],
  ['a string for a list', z.array(z.string()), 'secret', 'must be a list'],
  ['a list for an object', z.object({}), [], 'must be an object'],
  ['a list for a record', z.record(z.string(), z.string()), [], 'must be an object'],
  ['a type without a name', z.symbol(), 'secret', 'must be of another type'],
  ['another literal', z.literal('a'), 'secret', 'must be a'],
  ['another choice', z.enum(['a', 'b']), 'secret', 'must be one of a, b'],
  ['a wrong format with a name', z.url(), 'secret', 'must be a URL'],
  ['a wrong format without a name', z.string().regex(/^a$/), 'secret', 'does not have the expected form'],
  ['an empty string', z.string().min(1), '', 'must not be empty'],
  ['a short string', z.string().min(3), 'ab', 'must have at least 3 characters'],
  ['a long string', z.string().max(3), 'secret', 'must have at most 3 characters, but has 6'],
  ['a string of another length', z.string().length(3), 'secret', 'must have exactly 3 characters'],
  ['an empty list', z.array(z.string()).min(1), [], 'must not be empty'],
  ['a long list', z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 items, but has 2'],
  ['a small number', z.number().min(3), 2, 'must be at least 3'],
  ['a number that is not positive', z.int().positive(), -1, 'must be more than 0'],
  ['a large number', z.number().max(3), 4, 'must be at most 3'],
  ['a number that is not below the limit', z.number().lt(3), 3, 'must be less than 3'],
  ['a number that is not a multiple', z.number().multipleOf(3), 4, 'must be a multiple of 3'],
  ['unknown fields', z.strictObject({}), { secret: 1 }, 'has fields that are not known'],
  ['none of several types', z.union([z.string(), z.number()]), true, 'must be a string or a number'],
  ['none of several objects', z.union([z.object({ a: z.string() }), z.string()]), {}, 'does not have an allowed form'],
  [
    'a wrong field name',
    z.record(z.string().regex(/^a$/), z.string()),
    { secret: 'x' },
    'has a field whose name is not allowed',
  ],
  ['a wrong item', z.map(z.object({}), z.string()), new Map([[{}, 1]]), 'has an item that is not allowed'],
  ['a failed check without a message', z.string().refine(() => false), 'secret', 'is not valid'],
  ['a failed check with a message', z.string().refine(() => false, 'must be shorter'), 'secret', 'must be shorter'],
];
for (const [title, schema, value, text] of problems) {
  test(`explains ${title}`, (t) => {
    const validated = validate(z.object({ field: schema }), { field: value }, 'the value');
    const found = 'problems' in validated ? validated.problems : [];
    t.is(found.length, 1);
    t.regex(found[0] ?? '', /^field/);
    t.true(found[0]?.endsWith(` ${text}`), found[0]);
    t.false(found[0]?.includes('secret') ?? true);
  });
}

test('explains an issue with a code of a newer zod', (t) => {
  const issue = { code: 'from_the_future', input: 'secret', path: [] } as unknown as Parameters<typeof explainIssue>[0];
  t.is(explainIssue(issue), 'is not valid');
});

test('names the path of a problem', (t) => {
  const schema = z.object({ a: z.array(z.object({ b: z.string() })) });
  t.deepEqual(validate(schema, { a: [{ b: 'x' }, { b: 1 }] }, 'the value'), { problems: ['a[1].b must be a string'] });
  t.deepEqual(validate(schema, 1, 'the value'), { problems: ['the value must be an object'] });
});

test('reports at most five problems', (t) => {
  const fields = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, z.string()]));
  t.deepEqual(validate(z.object(fields), {}, 'the value'), {
    problems: ['a', 'b', 'c', 'd', 'e'].map((name) => `${name} is required`).concat('and 2 more'),
  });
});

test('returns the data of a valid value', (t) => {
  t.deepEqual(validate(z.object({ a: z.string().default('b') }), {}, 'the value'), { data: { a: 'b' } });
});

/** Values of all JSON types, as the fields of an object and by themselves. */
const odd: unknown[] = [null, true, 0, -1, 1.5, 1e400, '', 'x', [], [1], {}, { a: 1 }];

test('no schema of the protocol lets a text of zod through', (t) => {
  const schemas = [
    ...commandTypes.map((type) => payloadReaders[type]),
    ...Object.values<z.ZodType>({ ...agentMessageSchemas, ...controlPlaneMessageSchemas }),
  ];
  const names = [
    'releaseName',
    'chartName',
    'timeout',
    'wait',
    'version',
    'namespace',
    'ok',
    'error',
    'seq',
    'state',
    'limits',
  ];
  for (const schema of schemas) {
    for (const value of [...odd, ...odd.map((each) => Object.fromEntries(names.map((name) => [name, each])))]) {
      const validated = validate<unknown>(schema, value, 'the value');
      for (const problem of 'problems' in validated ? validated.problems : []) {
        t.notRegex(problem, /Invalid|expected|received|Too (small|big)|Unrecognized/);
      }
    }
  }
});
