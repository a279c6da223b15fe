import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';

/** TOML that cannot be read, with the line and the key where that was found. */
export class TomlError extends GoError {
  override readonly name: string = 'TomlError';

  constructor(problem: string, line: number, lastKey: string) {
    super(`toml: line ${line}${lastKey && ` (last key ${quote(lastKey)})`}: ${problem}`);
  }
}
