import { quote } from '../../go/strconv.ts';
import type { Command } from '../cobra/command.ts';

/** Returns a command that is not available here, and says what to do instead. */
export function missingCommand<Context>(name: string, instead: string): Command<Context> {
  return {
    use: name,
    passesFlags: true,
    run({ path }) {
      return Promise.reject(new Error(`${quote(path)} is not available in helm-agent; ${instead}`));
    },
  };
}
