import type { CommandType } from '../../protocol/commands/index.ts';
import type { Command } from '../cobra/command.ts';
import type { HelmContext } from '../helm/context.ts';
import { withReleases } from '../helm/release/with-releases.ts';
import { argumentValues, checkOf, useOf } from './arguments.ts';
import { fieldFlags, type CommandLineOf } from './field-flags.ts';
import { fieldValues } from './field-values.ts';
import { commandLineOf, payloadOf, type Verb } from './verb.ts';

/** Returns the command of `helm` for a verb. */
export function helmVerb<Type extends CommandType & Exclude<CommandType, 'cancel_command'>>(
  verb: Verb<Type>,
): Command<HelmContext> {
  const { type, definition, flags: printed = [], exclusiveFlags = [] } = verb;
  const { fields } = definition;
  const line = commandLineOf(verb);
  return {
    use: useOf(line),
    long: line.long ?? line.short,
    examples: line.examples,
    checkArguments: checkOf(line),
    exclusiveFlags,
    flags: (context) => [...fieldFlags(fields, lineOf(context)), ...printed],
    async run({ args, flags, context }) {
      const { stdout, host } = context;
      const given = argumentValues(line, args);
      const values = fieldValues(fields, lineOf(context), flags, true);
      const namespace = verb.isOfAll?.(flags) === true ? {} : { namespace: await context.namespace() };
      const payload = payloadOf(verb, values, verb.values?.(flags) ?? {}, given, namespace);
      const answer = await withReleases(context, (releases) => releases.perform(type, payload));
      const printing = { program: 'helm', args, flags, host } as const;
      stdout.write(verb.text(answer, printing));
      const failure = verb.failure?.(answer, printing);
      if (failure !== undefined) throw new Error(failure.message);
      return undefined;
    },
  };
}

function lineOf({ log, settings }: HelmContext): CommandLineOf {
  return { program: 'helm', log, maxHistory: settings.maxHistory };
}
