import { writeYaml } from '../../yaml/write.ts';
import { mergeValueFlags, type ValueFlags } from '../values.ts';

/** Returns the values as YAML, or undefined if no flag sets any. Errors have Helm's texts. */
export async function mergeValues(
  flags: ValueFlags,
  readFile: (path: string) => Promise<Uint8Array>,
): Promise<string | undefined> {
  const { values = [], set = [], setString = [], setJson = [], setFile = [], setLiteral = [] } = flags;
  if ([values, set, setString, setJson, setFile, setLiteral].every((given) => given.length === 0)) return undefined;
  return writeYaml(await mergeValueFlags(flags, readFile));
}
