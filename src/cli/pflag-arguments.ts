import type { Command, Option } from 'commander';

/**
 * Makes a command read its flags as helm does, by the rules of Go's pflag: an optional value needs
 * `=`, and a switch accepts `=true` and `=false`.
 */
export function readLikePflag(command: Command): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => parseOptions(pflagArguments(command.options, args));
}

/** Returns arguments that mean for commander what the given ones mean for pflag. */
export function pflagArguments(options: readonly Option[], args: readonly string[]): string[] {
  const result: string[] = [];
  const rest = args.values();
  for (const argument of rest) {
    if (argument === '--') return [...result, argument, ...rest];
    const [, name = argument, value] = /^(--[^=]+)=(.*)$/s.exec(argument) ?? [];
    const option = options.find(({ long, short }) => long === name || short === name);
    if (option?.required) {
      result.push(argument);
      const next = value === undefined ? rest.next().value : undefined;
      if (next !== undefined) result.push(next);
    } else if (option?.optional && value === undefined) {
      result.push(`${option.long ?? name}=${String(option.presetArg)}`);
    } else if (option && value !== undefined && !option.optional) {
      result.push(...switchArguments(options, name, argument, value));
    } else {
      result.push(argument);
    }
  }
  return result;
}

/** Go's strconv.ParseBool. */
const truths: Readonly<Record<string, boolean>> = {
  ...{ '1': true, t: true, T: true, TRUE: true, true: true, True: true },
  ...{ '0': false, f: false, F: false, FALSE: false, false: false, False: false },
};

function switchArguments(options: readonly Option[], name: string, argument: string, value: string): string[] {
  const isOn = Object.hasOwn(truths, value) ? truths[value] : undefined;
  if (isOn === undefined) return [argument]; // commander refuses it
  if (isOn) return [name];
  const opposite = `--no-${name.slice(2)}`;
  return options.some(({ long }) => long === opposite) ? [opposite] : [];
}
