import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { givenSettings, readSettings, settingFlags } from '../settings.ts';
import { guardSchema, guardSettings } from './settings.ts';

export const guardCommand: Command<ProgramDependencies> = {
  use: 'guard',
  long: `Perform the upgrade of an agent that it has planned, and bring the version before back
unless the new one works. The agent runs this in a Job; it is not for people.`,
  checkArguments: argumentCount('exactly', 0),
  flags: () => settingFlags(guardSettings),
  async run({ flags, context }) {
    const { env } = context;
    await context.runGuardian(readSettings(guardSchema, guardSettings, givenSettings(guardSettings, flags), env));
  },
};
