import { parseDecimalInteger } from '../../go/parse-number.ts';
import type { CommandLine } from '../../protocol/commands/definition.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { ArgumentCheck } from '../cobra/command.ts';

/** Returns the name of a command with its arguments: `rollback <RELEASE> [REVISION]`. */
export function useOf({ name, arguments: all, repeats = false }: CommandLine): string {
  return [name, ...all.map(({ shown }) => shown), ...(repeats ? ['[...]'] : [])].join(' ');
}

/** Returns the arguments, of which `KIND/NAME`, as kubectl takes it, are two. */
function separated({ arguments: [first, second] }: CommandLine, args: readonly string[]): readonly string[] {
  const [word = '', ...rest] = args;
  const [kind = '', name = '', ...more] = word.split('/');
  const isPair = first?.field === 'kind' && second?.field === 'name' && kind !== '' && name !== '' && more.length === 0;
  return isPair ? [kind, name, ...rest] : args;
}

/** Returns the arguments of each command that is to be sent. */
export function repeatedArguments(line: CommandLine, args: readonly string[]): ReadonlyArray<readonly string[]> {
  const { arguments: all, repeats = false } = line;
  if (!repeats) return [separated(line, args)];
  const common = args.slice(0, all.length - 1);
  return args.slice(all.length - 1).map((last) => [...common, last]);
}

/** Returns the line of a command in the list of its group. */
export function shortOf({ short }: CommandLine): string {
  return `${short.charAt(0).toLowerCase()}${short.slice(1)}`;
}

/** Returns the kinds of the arguments, for the completion of a shell. */
export function completesOf({ arguments: all, repeats = false }: CommandLine): { given: string[]; repeats: boolean } {
  return { given: all.map(({ kind }) => kind), repeats };
}

/** Returns a check of the number of arguments. As in Helm, optional ones have no maximum. */
export function checkOf(line: CommandLine): ArgumentCheck {
  const { arguments: all, repeats = false } = line;
  const required = all.filter(({ isOptional = false }) => !isOptional).length;
  const check = argumentCount(repeats || required < all.length ? 'at least' : 'exactly', required);
  return (args, command) => check(separated(line, args), command);
}

/** Returns the values that arguments give to fields. Errors have Helm's texts. */
export function argumentValues(line: CommandLine, args: readonly string[]): Record<string, unknown> {
  const values = line.arguments.map(({ field, kind, shown, ofKind }, index) => {
    const given = args[index];
    if (given === undefined) return [field, undefined] as const;
    const text = ofKind === undefined ? given : withoutKind(given, { line, shown, ofKind });
    return [field, kind === 'revision' ? revisionOf(text) : kind === 'count' ? countOf(text) : text] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns the name in `KIND/NAME`, which has to be of one of some kinds. */
function withoutKind(
  text: string,
  { line, shown, ofKind }: { line: CommandLine; shown: string; ofKind: readonly string[] },
): string {
  const slash = text.indexOf('/');
  if (slash < 0) return text;
  const [kind, name] = [text.slice(0, slash), text.slice(slash + 1)];
  if (ofKind.includes(kind.toLowerCase()) && name !== '' && !name.includes('/')) return name;
  const others = kind === 'rollout' ? '; ctl rollout is for rollouts to many clusters' : '';
  throw new Error(
    `${line.name} needs a ${shown}: NAME or ${ofKind[0] ?? ''}/NAME, not ${JSON.stringify(text)}${others}`,
  );
}

/** Returns undefined for 0, which is the revision before. */
function revisionOf(text: string): number | undefined {
  const { value, error } = parseDecimalInteger(text);
  if (error !== undefined) throw new Error(`could not convert revision to a number: ${error}`);
  if (value < 0) throw new Error('invalid release revision');
  return Number(value) || undefined;
}

function countOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${JSON.stringify(text)} is not a whole number from 0`);
}
