import type { CommandPayloads } from '../../protocol/commands/index.ts';
import type { Command, CommandEntry } from '../cobra/command.ts';
import type { HelmContext } from '../helm/context.ts';
import { cancelledByStop } from '../helm/release/cancelled-by-stop.ts';
import type { ReleaseCommand } from '../helm/release/releases.ts';
import { withReleases } from '../helm/release/with-releases.ts';
import { checkOf, completesOf, shortOf, useOf } from './arguments.ts';
import { type CommandLineOf, exclusiveFlagsOf, fieldFlags } from './field-flags.ts';
import { callsOf, commandLineOf, typeOf, type Verb } from './verb.ts';

/** Returns the command of `helm` for a verb. */
export function helmVerb<Type extends string, Answer extends object>(verb: Verb<Type, Answer>): Command<HelmContext> {
  const { definition, flags: common = [], flagsOnly = {} } = verb;
  const line = commandLineOf(verb);
  return {
    use: useOf(line),
    long: line.long ?? line.short,
    examples: line.examples,
    checkArguments: checkOf(line),
    completes: completesOf(line),
    exclusiveFlags: exclusiveFlagsOf(definition.fields),
    flags: (context) => [...fieldFlags(definition.fields, lineOf(context)), ...common, ...(flagsOnly.helm ?? [])],
    async run({ args, flags, context }) {
      const { stdout, host, env } = context;
      const given = { program: 'helm', args, flags, host, env, hasHelmDefaults: true } as const;
      const calls = await callsOf(verb, lineOf(context), given);
      const namespace = verb.isOfAll?.(flags) === true ? {} : { namespace: await context.namespace() };
      const type = typeOf(verb, flags) as ReleaseCommand; // the one that the verb says
      await withReleases(context, async (releases) => {
        for (const call of calls) {
          // the kinds of flags fit their fields, and the answer is that of the type
          const payload = { ...call.values, ...namespace } as CommandPayloads[ReleaseCommand];
          const perform = (signal?: AbortSignal): Promise<object> =>
            releases.perform(type, payload, { ...(signal && { signal }) });
          const result = await (verb.isUndone === true
            ? cancelledByStop(context, { endsAtSecond: true }, perform)
            : perform());
          const answer = result as Answer;
          const printing = { ...given, args: call.args } as const;
          stdout.write(await verb.text(answer, printing));
          const failure = verb.failure?.(answer, printing);
          if (failure !== undefined) throw new Error(failure.message);
        }
      });
      return undefined;
    },
  };
}

/** Returns the entry of a verb in a group of commands. */
export function helmEntry<Type extends string, Answer extends object>(
  verb: Verb<Type, Answer>,
): CommandEntry<HelmContext> {
  const line = commandLineOf(verb);
  return { name: line.name, short: shortOf(line), load: () => Promise.resolve(helmVerb(verb)) };
}

export function lineOf({ log, settings }: HelmContext): CommandLineOf {
  return { program: 'helm', log, maxHistory: settings.maxHistory };
}
