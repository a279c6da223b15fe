// The tables of the documentation that derive from the protocol: commands, error codes, problems.
import type * as z from 'zod';
import { commandTable } from '../src/protocol/commands/index.ts';
import type { CommandTable } from '../src/protocol/commands/table.ts';
import { errorCodes } from '../src/protocol/error-codes.ts';
import { problems } from '../src/protocol/problem-codes.ts';

/** Returns the table of all commands. */
export function commandRows({ definitions }: CommandTable = commandTable): string {
  const rows = Object.entries(definitions).map(([type, { summary, method, answer, right }]) => {
    const fields = Object.keys(answer.shape).map((name) => `\`${name}\``);
    return `| [\`${type}\`](#${type}) | ${summary} | ${fields.join(', ')} | \`${method}\` | \`${right}\` |`;
  });
  return ['| Command | Meaning | Fields of the result | SDK method | Right |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** Returns the table of a command's fields. */
export function fieldRows(payload: z.ZodObject): string {
  const shape: Record<string, z.ZodType> = payload.shape;
  const rows = Object.entries(shape).map(([name, field]) => {
    const absent = field.safeParse(undefined);
    const required = absent.success ? '' : 'Required. ';
    const byDefault =
      absent.data === undefined
        ? ''
        : `. Default: \`${typeof absent.data === 'string' ? absent.data : JSON.stringify(absent.data)}\``;
    return `| \`${name}\` | ${required}${field.description ?? ''}${byDefault} |`;
  });
  return ['| Field | Meaning |', '|---|---|', ...rows].join('\n');
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return ['| Code | Meaning |', '|---|---|', ...rows].join('\n');
}

function problemTable(): string {
  const rows = Object.entries(problems).map(([code, one]) => `| \`${code}\` | ${one.class} | ${one.meaning} |`);
  return ['| Problem | Class | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Returns a document with its tables between `<!-- table: NAME -->` and `<!-- end -->` renewed. */
export function renewTables(document: string, table: CommandTable = commandTable): string {
  return document.replaceAll(
    /^(<!-- table: (\w+) -->\n).*?(^<!-- end -->)$/gms,
    (_block, begin: string, name: string, end: string) => `${begin}${tableOf(name, table)}\n${end}`,
  );
}

function tableOf(name: string, table: CommandTable): string {
  if (name === 'commands') return commandRows(table);
  if (name === 'errors') return errorTable();
  if (name === 'problems') return problemTable();
  const known = table.find(name);
  if (known === undefined) throw new Error(`the documentation has a table for ${name}, which is not a command`);
  const hasFields = Object.keys(known.definition.fields).length > 0;
  return hasFields ? fieldRows(known.definition.payload) : 'It has no fields.';
}

/** The documents that have such tables. */
export const documents = ['errors', 'protocol', 'readiness'].map(
  (name) => new URL(`../docs/${name}.md`, import.meta.url),
);
