import { commaListFlag, listFlag, type Flag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import type { ValueFlags } from '../../values.ts';

const several = 'can specify multiple or separate values with commas';

/** Helm's flags for values (pkg/cmd/flags.go: addValueOptionsFlags). */
export const valueFlags: readonly Flag[] = [
  commaListFlag('values', 'specify values in a YAML file or a URL (can specify multiple)', { shorthand: 'f' }),
  listFlag('set', `set values on the command line (${several}: key1=val1,key2=val2)`),
  listFlag('set-string', `set STRING values on the command line (${several}: key1=val1,key2=val2)`),
  listFlag(
    'set-file',
    `set values from respective files specified via the command line (${several}: key1=path1,key2=path2)`,
  ),
  listFlag(
    'set-json',
    `set JSON values on the command line (${several}: key1=jsonval1,key2=jsonval2 or using json format: {"key1": jsonval1, "key2": "jsonval2"})`,
  ),
  listFlag('set-literal', 'set a literal STRING value on the command line'),
];

/** Returns what the flags for values set. */
export function valuesOfFlags(flags: FlagValues): ValueFlags {
  return {
    values: [...flags.list('values')],
    set: [...flags.list('set')],
    setString: [...flags.list('set-string')],
    setFile: [...flags.list('set-file')],
    setJson: [...flags.list('set-json')],
    setLiteral: [...flags.list('set-literal')],
  };
}
