import type { Flag } from './flag.ts';

/** Returns the lines that describe flags in a help text, sorted by name. */
export function flagUsages(flags: readonly Flag[]): string {
  const shown = flags.filter(isShown).sort((a, b) => (a.name < b.name ? -1 : 1));
  const heads = shown.map(headOf);
  const width = Math.max(0, ...heads.map(({ length }) => length));
  return shown.map((flag, i) => `${(heads[i] ?? '').padEnd(width)}   ${usageOf(flag)}\n`).join('');
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
