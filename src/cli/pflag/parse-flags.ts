import { messageOf } from '../../errors/index.ts';
import { quote, quoteRune } from '../../go/strconv.ts';
import type { Flag, FlagValue } from './flag.ts';

/** A request for help by `--help` or `-h`, where they are not flags. */
export class HelpRequested extends Error {
  override readonly name = 'HelpRequested';
}

/** A flag, written out, that does not exist. */
export class UnknownFlag extends Error {
  override readonly name = 'UnknownFlag';
  /** Without the hyphens. */
  readonly flag: string;

  constructor(flag: string, message: string) {
    super(message);
    this.flag = flag;
  }
}

export interface ParsedFlags {
  /** The flags that were given. */
  given: ReadonlyMap<string, FlagValue>;
  /** The other arguments. */
  args: readonly string[];
  /** Lines about deprecated flags. */
  warnings: string;
}

export interface ParseOptions {
  /** Ignores flags that do not exist, with the value after them. Default: false. */
  ignoreUnknown?: boolean;
  /** Receives each flag as it is read, so that those before an error are known. */
  onFlag?: (name: string, value: FlagValue) => void;
}

/** Reads arguments by the rules of Go's pflag. Errors have its texts. */
export function parseFlags(flags: readonly Flag[], args: readonly string[], options: ParseOptions = {}): ParsedFlags {
  const given = new Map<string, FlagValue>();
  const positional: string[] = [];
  let warnings = '';
  let rest = [...args];

  function set(flag: Flag, text: string): void {
    if (flag.refusal !== undefined) throw new Error(flag.refusal);
    const value = valueOf(flag, text, given.get(flag.name));
    given.set(flag.name, value);
    options.onFlag?.(flag.name, value);
    if (flag.deprecated !== undefined) warnings += `Flag --${flag.name} has been deprecated, ${flag.deprecated}\n`;
  }

  function skipUnknownValue(): void {
    if (rest[0]?.startsWith('-') !== true) rest.shift();
  }

  function readLong(argument: string): void {
    const body = argument.slice(2);
    if (/^[-=]/.test(body)) throw new Error(`bad flag syntax: ${argument}`);
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(body) ?? [];
    const flag = flags.find((each) => each.name === name);
    if (flag === undefined) {
      if (name === 'help') throw new HelpRequested();
      if (options.ignoreUnknown !== true) throw new UnknownFlag(name, `unknown flag: --${name}`);
      if (value === undefined) skipUnknownValue();
      return;
    }
    const text = value ?? flag.withoutValue ?? rest.shift();
    if (text === undefined) throw new Error(`flag needs an argument: --${name}`);
    set(flag, text);
  }

  function readShort(argument: string): void {
    for (let letters = argument.slice(1); letters !== '';) {
      const letter = letters.charAt(0);
      const flag = flags.find(({ shorthand }) => shorthand === letter);
      const attached = letters.length > 2 && letters[1] === '=' ? letters.slice(2) : undefined;
      if (flag === undefined) {
        if (letter === 'h') throw new HelpRequested();
        if (options.ignoreUnknown !== true) {
          throw new Error(`unknown shorthand flag: ${quoteRune(letter.charCodeAt(0))} in -${letters}`);
        }
        if (attached !== undefined) return;
        skipUnknownValue();
        letters = letters.slice(1);
      } else if (attached !== undefined) {
        set(flag, attached);
        return;
      } else if (flag.withoutValue !== undefined) {
        set(flag, flag.withoutValue);
        letters = letters.slice(1);
      } else {
        const text = letters.length > 1 ? letters.slice(1) : rest.shift();
        if (text === undefined) {
          throw new Error(`flag needs an argument: ${quoteRune(letter.charCodeAt(0))} in -${letters}`);
        }
        set(flag, text);
        return;
      }
    }
  }

  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') {
      positional.push(...rest);
      rest = [];
    } else if (argument.startsWith('--')) {
      readLong(argument);
    } else if (argument.startsWith('-') && argument.length > 1) {
      readShort(argument);
    } else {
      positional.push(argument);
    }
  }
  return { given, args: positional, warnings };
}

function valueOf(flag: Flag, text: string, before: FlagValue | undefined): FlagValue {
  try {
    return flag.read(text, before);
  } catch (error) {
    const names = flag.shorthand === undefined ? `--${flag.name}` : `-${flag.shorthand}, --${flag.name}`;
    const reason = messageOf(error);
    throw new Error(`invalid argument ${quote(text)} for ${quote(names)} flag: ${reason}`, { cause: error });
  }
}
