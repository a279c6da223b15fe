import { valueMapOfPlain } from '../../../release/plain-value.ts';
import type { Release } from '../../../release/release.ts';
import { type Output, type Printable, yamlText } from './format.ts';

/** Returns the user's values of a release. Null if there are none, as in Helm. */
export function userValues({ config = {} }: Release): Printable {
  return Object.keys(config).length === 0 ? null : valueMapOfPlain(config);
}

/** Returns the output of `helm get values` (pkg/cmd/get_values.go). */
export function valuesOutput(values: Printable, { all }: { all: boolean }): Output {
  return {
    table: () => `${all ? 'COMPUTED' : 'USER-SUPPLIED'} VALUES:\n${yamlText(values)}`,
    data: () => values,
  };
}
