import { verifyAudit } from '../../control-plane/audit/verify-audit.ts';
import { openError } from '../../go/file-error.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { textFlag } from '../pflag/flag.ts';

const verifyCommand: Command<ProgramDependencies> = {
  use: 'verify FILE',
  long: `Check an audit log that "ctl audit" has printed: no entry was changed, and none
is missing between the first and the last. To find out whether the end was cut
off, or the whole log was replaced, note the SHA-256 that this prints elsewhere,
and give it to a later check with --contains.`,
  examples: ['audit.jsonl', 'audit.jsonl --contains 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae'],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [textFlag('contains', 'fail unless the line with this `SHA-256` is in the log')],
  async run({ args: [file = ''], flags, context }) {
    const bytes = await context.readFile(file).catch((error: unknown) => {
      throw openError(file, error);
    });
    const { count, first, last, digest, digests } = verifyAudit(bytes);
    const expected = flags.optionalText('contains');
    if (expected !== undefined && !digests.has(expected)) {
      throw new Error(`no line has the SHA-256 ${JSON.stringify(expected)}; the log was cut off or replaced`);
    }
    const entries = count === 1 ? `entry ${first} is` : `${count} entries, ${first} to ${last}, are`;
    context.stdout.write(`${entries} as written; the SHA-256 of the last line is ${digest}\n`);
    return 0;
  },
};

export const auditCommand: Command<ProgramDependencies> = {
  use: 'audit',
  subcommands: [
    {
      name: 'verify',
      short: 'check that no entry of an audit log was changed or is missing',
      load: () => Promise.resolve(verifyCommand),
    },
  ],
};
