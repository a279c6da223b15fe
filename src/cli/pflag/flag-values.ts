import { type Flag, type FlagValue, isList, isPairs } from './flag.ts';

/** The values of the flags of a command. Asking for a flag of another type is a bug. */
export interface FlagValues {
  /** Whether the flag was given. */
  isGiven(name: string): boolean;
  isOn(name: string): boolean;
  text(name: string): string;
  /** Returns the text of a flag, or undefined if it is empty. */
  optionalText(name: string): string | undefined;
  integer(name: string): number;
  /** In nanoseconds. */
  duration(name: string): bigint;
  list(name: string): readonly string[];
  pairs(name: string): ReadonlyMap<string, string>;
}

/** Returns the values of flags; those that are not in `given` have their initial values. */
export function flagValues(flags: readonly Flag[], given: ReadonlyMap<string, FlagValue>): FlagValues {
  const values = new Map([...flags.map(({ name, initial }) => [name, initial] as const), ...given]);
  function typed<Type extends FlagValue>(name: string, isType: (value: FlagValue | undefined) => value is Type): Type {
    const value = values.get(name);
    if (isType(value)) return value;
    throw new TypeError(`--${name} is no flag of this command with this type`);
  }
  const text = (name: string) => typed(name, (value) => typeof value === 'string');
  return {
    isGiven: (name) => given.has(name),
    isOn: (name) => typed(name, (value) => typeof value === 'boolean'),
    text,
    optionalText: (name) => text(name) || undefined,
    integer: (name) => typed(name, (value) => typeof value === 'number'),
    duration: (name) => typed(name, (value) => typeof value === 'bigint'),
    list: (name) => typed(name, isList),
    pairs: (name) => typed(name, isPairs),
  };
}
