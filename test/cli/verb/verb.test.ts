import test from 'ava';
import * as z from 'zod';
import { helmLog } from '../../../src/cli/helm-log.ts';
import { flagValues } from '../../../src/cli/pflag/flag-values.ts';
import { parseFlags } from '../../../src/cli/pflag/parse-flags.ts';
import { type CommandLineOf, fieldFlags } from '../../../src/cli/verb/field-flags.ts';
import { fieldValues } from '../../../src/cli/verb/field-values.ts';
import { defineCommand } from '../../../src/protocol/commands/definition.ts';
import { field } from '../../../src/protocol/commands/field.ts';
import { timeoutSchema } from '../../../src/protocol/duration.ts';

/** A verb that no program has. */
const paint = defineCommand({
  summary: 'Paints a release.',
  method: 'paint',
  fields: {
    color: field(
      z.enum(['red', 'green']).optional(),
      { name: 'green', kind: 'switch', value: 'green', help: 'the same as --color green' },
      { name: 'color', kind: 'choice', choices: { red: 'red', green: 'green' }, help: 'red or green' },
    ),
    dry: field(z.boolean().optional(), { name: 'dry', kind: 'toggle', help: 'let it dry', helmDefault: false }),
    coats: field(z.int().positive().optional(), { name: 'coats', kind: 'number', default: 2, help: 'number of coats' }),
    after: field(z.union([timeoutSchema, z.literal(false)]).optional(), {
      name: 'after',
      kind: 'duration',
      word: 'none',
      only: 'ctl',
      help: 'time to wait before',
    }),
    names: field(z.record(z.string(), z.string()).optional(), { name: 'names', kind: 'pairs', help: 'names: a=1' }),
    secret: field(z.string().optional()),
  },
  answer: z.object({ painted: z.boolean() }),
  plainField: 'painted',
  changes: () => undefined,
  right: 'read',
  survives: false,
});

const ctl = { program: 'ctl' } as const;
const helm: CommandLineOf = { program: 'helm', log: helmLog(() => undefined), maxHistory: 10 };

function payloadOf(line: CommandLineOf, args: readonly string[], hasHelmDefaults = line.program === 'helm'): object {
  const flags = fieldFlags(paint.fields, line);
  const values = flagValues(flags, parseFlags(flags, args).given);
  return fieldValues(paint.fields, line, values, hasHelmDefaults);
}

const sets = test.macro({
  title: (_, args: string, ofCtl: object, ofHelm: object) =>
    `"${args}" sets ${JSON.stringify(ofCtl)} with ctl, and ${JSON.stringify(ofHelm)} with helm`,
  exec(t, args: string, ofCtl: object, ofHelm: object) {
    const words = args.split(' ').filter(Boolean);
    t.deepEqual(payloadOf(ctl, words), ofCtl);
    t.deepEqual(payloadOf(helm, words), ofHelm);
  },
});

test(sets, '', { coats: 2 }, { coats: 2, dry: false });
test(sets, '--green', { color: 'green', coats: 2 }, { color: 'green', coats: 2, dry: false });
test(sets, '--green --color red', { color: 'red', coats: 2 }, { color: 'red', coats: 2, dry: false });
test(sets, '--dry --coats 0', { dry: true }, { dry: true });
test(
  sets,
  '--names a=1,b=2',
  { coats: 2, names: { a: '1', b: '2' } },
  { coats: 2, dry: false, names: { a: '1', b: '2' } },
);

test('only ctl has flags that turn a toggle off, and flags that are only its own', (t) => {
  t.deepEqual(payloadOf(ctl, ['--no-dry', '--after', '90s']), { dry: false, coats: 2, after: 90_000 });
  t.deepEqual(payloadOf(ctl, ['--after', 'none']), { coats: 2, after: false });
  t.throws(() => payloadOf(helm, ['--no-dry']), { message: 'unknown flag: --no-dry' });
  t.throws(() => payloadOf(helm, ['--after', '90s']), { message: 'unknown flag: --after' });
});

test('ctl can have the defaults of helm', (t) => {
  t.deepEqual(payloadOf(ctl, [], true), { dry: false, coats: 2 });
  t.deepEqual(payloadOf(ctl, ['--dry'], true), { dry: true, coats: 2 });
});

test('a value that a field does not have is refused with the name of the flag', (t) => {
  t.throws(() => payloadOf(ctl, ['--color', 'blue']), { message: '--color must be one of red, green, not "blue"' });
  t.throws(() => payloadOf(ctl, ['--color', 'constructor']), { message: /^--color must be one of/ });
  t.throws(() => payloadOf(ctl, ['--after', '5']), { message: /^--after must have a unit/ });
  t.throws(() => payloadOf(ctl, ['--names', 'a']), { message: /a must be formatted as key=value/ });
});

test('a field without a flag has none on any command line', (t) => {
  for (const line of [ctl, helm]) t.false(fieldFlags(paint.fields, line).some(({ name }) => name === 'secret'));
});
