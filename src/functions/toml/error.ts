import { quote } from '../../go/strconv.ts';
import { GoError } from '../../go/value.ts';

/** Invalid TOML, with the line and the last key before the error. */
export class TomlError extends GoError {
  override readonly name: string = 'TomlError';

  constructor(problem: string, line: number, lastKey: string) {
    super(`toml: line ${line}${lastKey && ` (last key ${quote(lastKey)})`}: ${problem}`);
  }
}
