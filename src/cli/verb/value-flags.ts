import { commaListFlag, type Flag, listFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import type { ValueFlags } from '../values.ts';

/** Helm's flags for values (pkg/cmd/flags.go: addValueOptionsFlags). */
export const valueFlags: readonly Flag[] = [
  commaListFlag('values', 'file or URL with values, - for stdin; may be repeated, the last one wins', {
    shorthand: 'f',
  }),
  listFlag('set', 'set values: a=1,b.c=x; may be repeated'),
  listFlag('set-string', 'set values as strings; may be repeated'),
  listFlag('set-file', 'set values to the contents of files: a=FILE; may be repeated'),
  listFlag('set-json', 'set values as JSON: a=[1],b=true, or {"a":[1]}; may be repeated'),
  listFlag('set-literal', 'set a value to the text after =, without reading it; may be repeated'),
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
