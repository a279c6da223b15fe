import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { givenSettings } from '../settings.ts';
import { controlPlaneClient, serverSettings } from './control-plane-client.ts';
import { printBytes } from './print-bytes.ts';

export const backupCommand: Command<ProgramDependencies> = {
  use: 'backup',
  long: `Print a copy of the SQLite file of the control plane, which continues. The
copy contains secrets, as the file does. To restore it, stop the control plane,
and start it with the copy as --data. A database of PostgreSQL is backed up with
pg_dump.`,
  examples: ['> control-plane.db'],
  checkArguments: argumentCount('exactly', 0),
  async run({ flags, context }) {
    const client = await controlPlaneClient(givenSettings(serverSettings, flags), context);
    return await printBytes(context.stdout, (signal) => client.backup(signal));
  },
};
