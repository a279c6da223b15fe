// The tables of docs/protocol.md that derive from the commands' schemas.
import type * as z from 'zod';
import { commands, commandTypes, type CommandType } from '../src/protocol/commands/index.ts';

/** Returns the table of all commands. */
export function commandTable(): string {
  const rows = commandTypes.map((type) => {
    const { summary, method, answer } = commands[type];
    const fields = Object.keys(answer.shape).map((name) => `\`${name}\``);
    return `| [\`${type}\`](#${type}) | ${summary} | ${fields.join(', ')} | \`${method}\` |`;
  });
  return ['| Command | Meaning | Fields of the result | SDK method |', '|---|---|---|---|', ...rows].join('\n');
}

/** Returns the table of a command's fields. */
export function fieldTable(type: CommandType): string {
  const fields: Record<string, z.ZodType> = commands[type].payload.shape;
  const rows = Object.entries(fields).map(([name, field]) => {
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

/** Returns a document with its tables between `<!-- table: NAME -->` and `<!-- end -->` renewed. */
export function renewTables(document: string): string {
  return document.replaceAll(
    /^(<!-- table: (\w+) -->\n).*?(\n<!-- end -->)$/gms,
    (_block, begin: string, name: string, end: string) => `${begin}${tableOf(name)}${end}`,
  );
}

function tableOf(name: string): string {
  if (name === 'commands') return commandTable();
  const type = commandTypes.find((each) => each === name);
  if (type === undefined) throw new Error(`docs/protocol.md has a table for ${name}, which is not a command`);
  return fieldTable(type);
}
