import { currentDate } from '../../../go/host.ts';
import { valueOfPlain } from '../../../release/plain-value.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { outputFlag, outputFormat } from '../../helm/flags/output-flag.ts';
import type { Flag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { givenSettings } from '../../settings.ts';
import { shellWord } from '../../shell-word.ts';
import { clientOptions, serverSettings } from '../control-plane-client.ts';
import { type OutputFormat, textOf } from '../output/format.ts';
import { followRollout } from './follow-rollout.ts';
import { createRolloutClient, type RolloutClient, type RolloutSummary } from './rollout-client.ts';
import { rolloutLines } from './rollout-lines.ts';

/** The flag of commands that print a rollout, or follow it. */
export const formatFlag: Flag = {
  ...outputFlag,
  usage: `${outputFlag.usage}; with json, a rollout that is followed is a line for each change`,
};

/** The parts that the commands about rollouts share. */
export interface RolloutSession {
  context: ProgramDependencies;
  rollouts: RolloutClient;
  /** Returns the format that the flags name. */
  formatOf: () => OutputFormat;
  /** The flags of the control plane as they were given, for commands in hints. */
  serverFlags: readonly string[];
}

/** Returns the client of the control plane that flags and environment name. */
export async function rolloutSession(context: ProgramDependencies, flags: FlagValues): Promise<RolloutSession> {
  const given = givenSettings(serverSettings, flags);
  const rollouts = createRolloutClient(await clientOptions(given, context));
  const serverFlags = Object.entries(serverSettings).flatMap(([name, { flag }]) => {
    const value = given[name];
    return value === true ? [`--${flag}`] : typeof value === 'string' ? [`--${flag}`, value] : [];
  });
  return { context, rollouts, formatOf: () => outputFormat(flags), serverFlags };
}

/** Prints a rollout, or follows it until it has ended. Returns the exit code. */
export async function show(
  rollout: RolloutSummary,
  { context, rollouts, formatOf, serverFlags, isFollowed }: RolloutSession & { isFollowed: boolean },
): Promise<number> {
  const { stdout, programName, host } = context;
  const now = () => currentDate(host).getTime();
  const { id } = rollout;
  const format = formatOf();
  if (isFollowed) {
    const hint = (verb: string, ...words: readonly string[]) =>
      [programName, ...['ctl', 'rollout', verb, id, ...words, ...serverFlags].map(shellWord)].join(' ');
    const hintOf = (...words: readonly string[]) => hint(words[0] ?? '', ...words.slice(1));
    return await followRollout(id, { ...context, client: rollouts, hint: hintOf, now, json: format === 'json' });
  }
  const lines = () => rolloutLines(rollout, now()).map((line) => `${line}\n`);
  stdout.write(textOf(format, { table: () => lines().join(''), data: () => valueOfPlain(rollout) }));
  return 0;
}
