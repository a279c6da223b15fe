import type { Flag } from './flag.ts';

/**
 * Returns the lines that describe flags in a help text, sorted by name. They are wrapped to a
 * number of columns if it is given.
 */
export function flagUsages(flags: readonly Flag[], columns?: number): string {
  const shown = flags.filter(isShown).sort((a, b) => (a.name < b.name ? -1 : 1));
  const heads = shown.map(headOf);
  const width = Math.max(0, ...heads.map(({ length }) => length));
  return shown
    .map((flag, i) => `${wrapped(`${(heads[i] ?? '').padEnd(width)}   `, usageOf(flag), columns)}\n`)
    .join('');
}

/** The fewest columns for a text beside its head. A text with less space is below it. */
const minTextColumns = 40;
const textIndent = 10;

/** Returns a head and its text, whose lines are wrapped and aligned. Default: it is one line. */
export function wrapped(head: string, text: string, columns = Infinity): string {
  const isBeside = columns - head.length >= minTextColumns;
  const indent = isBeside ? head.length : textIndent;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || indent + line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  const first = isBeside ? head : `${head.trimEnd()}\n${' '.repeat(indent)}`;
  return `${first}${lines.join(`\n${' '.repeat(indent)}`)}`.trimEnd();
}

export function isShown({ isHidden, deprecated }: Flag): boolean {
  return isHidden !== true && deprecated === undefined;
}

function headOf(flag: Flag): string {
  const { name, shorthand, type, withoutValue } = flag;
  const names = shorthand === undefined ? `      --${name}` : `  -${shorthand}, --${name}`;
  const value = quotedName(flag) ?? (type === 'bool' ? '' : type);
  return `${names}${value && ` ${value}`}${optionalValue(type, withoutValue)}`;
}

function optionalValue(type: string, withoutValue: string | undefined): string {
  if (withoutValue === undefined) return '';
  if (type === 'string') return `[="${withoutValue}"]`;
  return type === 'bool' && withoutValue === 'true' ? '' : `[=${withoutValue}]`;
}

/** The usage text names the value by putting it between backquotes. */
function quotedName({ usage }: Flag): string | undefined {
  return /`([^`]*)`/.exec(usage)?.[1];
}

function usageOf({ usage, shownDefault }: Flag): string {
  const text = usage.replace(/`([^`]*)`/, '$1');
  return shownDefault === undefined ? text : `${text} (default ${shownDefault})`;
}
