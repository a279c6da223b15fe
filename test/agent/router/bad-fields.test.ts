import test from 'ava';
import * as z from 'zod';
import { readCommand } from '../../../src/agent/router/incoming-command.ts';
import { rights } from '../../../src/protocol/commands/definition.ts';
import type { Field } from '../../../src/protocol/commands/field.ts';
import { commandTable, commandTypes } from '../../../src/protocol/commands/index.ts';
import { maximumOf } from '../../../src/protocol/validation.ts';
import { examplePayloads } from '../../protocol/support/examples.ts';

const examples = await examplePayloads();

/** A text or list that is too long is left to the limit of the packet if it does not fit in one. */
const maxLength = 1024 * 1024;

const secret = 'correct-horse-battery';

/** Values of all types of JSON, with a text that must not be in an error. */
const ofOtherTypes: readonly unknown[] = [
  ...[true, false, -1, 1.5, 7, 1e300, `${secret} \u0000`, [], [secret], [[]], {}, { [secret]: secret }, [null]],
];

/** Returns the schema in optional ones, and in those that change what they have read. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return innermost(schema.in);
  const isWrapper = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodReadonly].some((one) => schema instanceof one);
  return isWrapper ? innermost((schema as z.ZodOptional).unwrap()) : schema; // all of these have it
}

/** Returns values just beyond the limits of a schema. */
function beyond(given: z.core.$ZodType): unknown[] {
  const schema = innermost(given);
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) {
    const { maxLength: longest } = schema;
    return longest !== null && longest < maxLength ? ['a'.repeat(longest + 1)] : [];
  }
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema;
    return [(minValue ?? -Infinity) - 1, (maxValue ?? Infinity) + 1].filter(Number.isFinite);
  }
  if (schema instanceof z.ZodArray) {
    const items = beyond(schema.element).map((item) => [item]);
    const longest = maximumOf(schema);
    return longest < maxLength ? [...items, Array.from({ length: longest + 1 }, () => 'a')] : items;
  }
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape as z.ZodRawShape).flatMap(([name, part]) =>
      beyond(part).map((value) => ({ [name]: value })),
    );
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => beyond(option));
  return [];
}

/** Whether a value counts as that of a field which was left out, as clients in Go send it. */
const isAbsent = (value: unknown) => value === '' || value === null || value === 0;

/** Returns the values that a field must not have. */
function badValues({ schema }: Field): unknown[] {
  const all = [...ofOtherTypes, ...beyond(schema)].filter((value) => !isAbsent(value));
  return all.filter((value) => !schema.safeParse(value).success);
}

/** Reads a command as an agent does that has all rights, and fails the test if it is performed. */
function read(type: string, payload: object): string {
  const handlers = { [type]: () => Promise.reject(new Error('it was performed')) };
  try {
    readCommand({ type, payload: JSON.stringify(payload) }, { table: commandTable, handlers, allowedRights: rights });
    return 'it was accepted';
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }; // every one has it
    return code === 'bad_payload' ? message : `another error: ${message}`;
  }
}

for (const type of commandTypes) {
  const fields: Record<string, Field> = commandTable.definitions[type].fields;
  const example = examples.get(type) ?? {};
  for (const [name, field] of Object.entries(fields)) {
    test(`${type} refuses bad values of ${name}, and names it`, (t) => {
      const bad = badValues(field);
      t.true(bad.length > 2, 'a field that takes anything needs a schema');
      for (const value of bad) {
        const shown = JSON.stringify(value).slice(0, 60);
        const text = read(type, { ...example, [name]: value });
        t.regex(text, new RegExp(`^payload: ${name}\\b`), `${shown}: ${text.slice(0, 200)}`);
        t.notRegex(text, new RegExp(`${secret}|Invalid|received|\\p{Cc}`, 'u'), shown);
        t.true(text.length < 1000, shown);
      }
      const isRequired = !field.schema.safeParse(undefined).success;
      for (const value of isRequired ? [undefined, null, ''] : []) {
        const text = read(type, { ...example, [name]: value });
        t.is(text, `payload: ${name} is required`);
      }
    });
  }
}
