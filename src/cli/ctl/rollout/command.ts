import { valueOfPlain } from '../../../release/plain-value.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import { type Command, type CommandEntry, loadedEntry } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { outputFlag, outputFormat } from '../../helm/flags/output-flag.ts';
import { commaListFlag, type Flag, switchFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { table } from '../../table.ts';
import { oneLine } from '../../text.ts';
import { type Output, textOf } from '../output/format.ts';
import { shown } from '../output/print.ts';
import { chosenGroups, plansText } from './plan-groups.ts';
import type { RolloutCluster, RolloutDecision, RolloutPlanGroup, RolloutSummary } from './rollout-client.ts';
import { countsText } from './rollout-lines.ts';
import { formatFlag, rolloutSession, show } from './rollout-session.ts';

const oneId = argumentCount('exactly', 1);

const followFlag = switchFlag('follow', 'follow it until it has ended, or waits for a decision', { shorthand: 'f' });

export const rolloutCommand: Command<ProgramDependencies> = {
  use: 'rollout',
  long: `Deploy a release to many clusters, in waves. A rollout stops by itself if
clusters fail, and gives them back what they had.`,
  subcommands: [
    {
      name: 'start',
      short: 'start a rollout, and follow it',
      load: async () => (await import('./start-command.ts')).startCommand,
    },
    loadedEntry('list', 'list the rollouts', {
      use: 'list',
      examples: ['', '-o json'],
      checkArguments: argumentCount('exactly', 0),
      flags: () => [outputFlag],
      async run({ flags, context }) {
        const { rollouts } = await rolloutSession(context, flags);
        const all = await rollouts.list(new AbortController().signal);
        context.stdout.write(textOf(outputFormat(flags), rolloutsOutput(all)));
        return 0;
      },
    }),
    loadedEntry('status', 'print a rollout, or follow it', {
      use: 'status ID',
      long: `Print a rollout: its waves, what it waits for, and the clusters with problems.
With --follow, the exit code is 0 if it has succeeded, 1 if it has failed or was
aborted, and 2 if it waits for a decision.`,
      examples: ['web-2.0', 'web-2.0 --follow', 'web-2.0 --clusters -o json'],
      checkArguments: oneId,
      exclusiveFlags: [['follow', 'clusters']],
      flags: () => [followFlag, switchFlag('clusters', 'print all its clusters'), formatFlag],
      async run({ args: [id = ''], flags, context }) {
        const session = await rolloutSession(context, flags);
        const { signal } = new AbortController();
        if (flags.isOn('clusters')) {
          const clusters = await session.rollouts.clusters(id, signal);
          context.stdout.write(textOf(session.formatOf(), clustersOutput(clusters)));
          return 0;
        }
        return await show(await session.rollouts.get(id, signal), { ...session, isFollowed: flags.isOn('follow') });
      },
    }),
    decision('pause', 'let no more clusters begin', {
      long: 'Let no more clusters begin. The commands that run end.',
      examples: ['web-2.0'],
      decide: () => ({ action: 'pause' }),
    }),
    decision('resume', 'continue a rollout that is paused', {
      long: 'Continue a rollout that is paused, also in spite of the clusters that have\nfailed so far.',
      examples: ['web-2.0', 'web-2.0 --follow'],
      decide: () => ({ action: 'resume' }),
    }),
    loadedEntry('plans', 'print the plans of the clusters, grouped by what they change', {
      use: 'plans ID',
      long: `Print what the clusters of a rollout with --plan would change. Plans that would
change the same are one group, and one approval is for all of them.`,
      examples: ['web-2.0', 'web-2.0 -o json'],
      checkArguments: oneId,
      flags: () => [outputFlag],
      async run({ args: [id = ''], flags, context }) {
        const { rollouts } = await rolloutSession(context, flags);
        const groups = await rollouts.plans(id, new AbortController().signal);
        const text = textOf(outputFormat(flags), {
          table: () => plansText(groups),
          data: () => groups.map(valueOfPlain),
        });
        context.stdout.write(shown(text, context.stdout));
        return 0;
      },
    }),
    decision('approve', 'let a wave begin, or plans be performed', {
      use: 'approve ID [WAVE]',
      long: `Let a wave begin, by its number. It need not wait for the soak time before it,
nor until a cluster of the wave before is updated.

With --plan, let the clusters of groups of plans perform those, when it is their
turn: "ctl rollout plans" prints them.`,
      examples: ['web-2.0 2', 'web-2.0 2 --follow', 'web-2.0 --plan 3f9c2a7b81d4 --follow'],
      flags: [commaListFlag('plan', 'groups of plans, or at least 12 characters of each; "*" is all that wait now')],
      decide: async (flags, wave, groupsOf) => {
        const prefixes = flags.list('plan');
        if (prefixes.length > 0) {
          if (wave !== undefined) throw new Error('approve a wave, or plans with --plan, but not both');
          return { action: 'approve', groups: chosenGroups(await groupsOf(), prefixes) };
        }
        if (wave === undefined) throw new Error('name the WAVE, or groups of plans with --plan');
        if (!/^[1-9]\d{0,5}$/.test(wave))
          throw new Error(`WAVE must be the number of a wave, not ${JSON.stringify(wave)}`);
        return { action: 'approve', wave: Number(wave) };
      },
    }),
    decision('abort', 'end a rollout', {
      long: `End a rollout. Its clusters stay as they are; with --undo, those that it has
updated get back what they had.`,
      examples: ['web-2.0', 'web-2.0 --undo --follow'],
      flags: [switchFlag('undo', 'return all its clusters to the revisions that they had')],
      decide: (flags) => ({ action: 'abort', undo: flags.isOn('undo') }),
    }),
    decision('retry', 'try the clusters again that have failed', {
      long: 'Try the clusters again that have failed, or a rollout that has failed, from the\nwave in which it did.',
      examples: ['web-2.0', 'web-2.0 --follow'],
      decide: () => ({ action: 'retry' }),
    }),
    loadedEntry('delete', 'delete a rollout that has ended', {
      use: 'delete ID',
      long: 'Delete a rollout that has ended, with its values. Clusters that are away do not\ncatch up any more.',
      examples: ['web-2.0'],
      checkArguments: oneId,
      async run({ args: [id = ''], flags, context }) {
        const { rollouts } = await rolloutSession(context, flags);
        await rollouts.delete(id, new AbortController().signal);
        context.stdout.write(`rollout ${oneLine(id)} is deleted\n`);
        return 0;
      },
    }),
  ],
};

interface DecisionCommand extends Pick<Command<ProgramDependencies>, 'long' | 'examples'> {
  /** Default: the name, and `ID`. */
  use?: string;
  flags?: Flag[];
  decide: (
    flags: FlagValues,
    argument: string | undefined,
    plans: () => Promise<RolloutPlanGroup[]>,
  ) => RolloutDecision | Promise<RolloutDecision>;
}

/** Returns the command for a decision, which prints the rollout afterwards, or follows it. */
function decision(name: string, short: string, command: DecisionCommand): CommandEntry<ProgramDependencies> {
  const { use = `${name} ID`, flags: own = [], decide, ...rest } = command;
  return loadedEntry(name, short, {
    ...rest,
    use,
    checkArguments(args, command) {
      const most = use.includes('[') ? 2 : 1;
      for (const check of [argumentCount('at least', 1), argumentCount('at most', most)]) check(args, command);
    },
    flags: () => [...own, followFlag, formatFlag],
    async run({ args: [id = '', argument], flags, context }) {
      const { signal } = new AbortController();
      const session = await rolloutSession(context, flags);
      const decided = await decide(flags, argument, async () => await session.rollouts.plans(id, signal));
      const rollout = await session.rollouts.decide(id, decided, signal);
      return await show(rollout, { ...session, isFollowed: flags.isOn('follow') });
    },
  });
}

/** Returns the rollouts. JSON and YAML have all that the control plane says about them. */
function rolloutsOutput(rollouts: readonly RolloutSummary[]): Output {
  return {
    table() {
      const rows = rollouts.map(({ id, phase, wave, waves, clusters, releaseName, type, startedBy = '', createdAt }) =>
        [
          ...[id, phase, `${wave}/${waves.length}`, countsText(clusters), releaseName ?? type],
          ...[startedBy, createdAt],
        ].map(oneLine),
      );
      const titles = ['ROLLOUT', 'PHASE', 'WAVE', 'CLUSTERS', 'RELEASE', 'STARTED BY', 'CREATED AT'];
      return `${table([titles, ...rows]).join('\n')}\n`;
    },
    data: () => rollouts.map(valueOfPlain),
  };
}

function clustersOutput(clusters: readonly RolloutCluster[]): Output {
  return {
    table() {
      const rows = clusters.map(({ agentId, wave, stage, revision, failure }) =>
        [
          ...[agentId, `${wave}`, stage, revision === undefined ? '' : `${revision}`],
          failure === undefined ? '' : `${failure.code}: ${failure.message}`,
        ].map(oneLine),
      );
      return `${table([['AGENT', 'WAVE', 'STAGE', 'REVISION', 'PROBLEM'], ...rows]).join('\n')}\n`;
    },
    data: () => clusters.map(valueOfPlain),
  };
}
