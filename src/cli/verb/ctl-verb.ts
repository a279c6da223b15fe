import * as z from 'zod';
import { commands, type CommandParameters, type CommandType } from '../../protocol/commands/index.ts';
import type { Command } from '../cobra/command.ts';
import { helmDefaultsSettings, wantsHelmDefaults } from '../ctl/helm-defaults.ts';
import { shown } from '../ctl/output/print.ts';
import { sendFlags, sessionFlags } from '../ctl/send-flags.ts';
import { createSession } from '../ctl/session.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refusedFlags } from '../helm-flags.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { textFlag, type Flag } from '../pflag/flag.ts';
import { givenSettings, settingFlags } from '../settings.ts';
import { argumentValues, checkOf, useOf } from './arguments.ts';
import { fieldFlags } from './field-flags.ts';
import { fieldValues } from './field-values.ts';
import { commandLineOf, payloadOf, type Verb } from './verb.ts';

const program = { program: 'ctl' } as const;

/** Returns the command of `ctl` for a verb. */
export function ctlVerb<Type extends CommandType>(verb: Verb<Type>): Command<ProgramDependencies> {
  const { type, definition, exclusiveFlags = [], notes, failure } = verb;
  const line = commandLineOf(verb);
  return {
    use: useOf(line),
    long: line.long ?? line.short,
    examples: line.examples.map((example) => `${example} --agent edge-1`.trimStart()),
    checkArguments: checkOf(line),
    exclusiveFlags,
    flags: () => flagsOf(verb),
    async run({ args, flags, context }) {
      const { stdout, host } = context;
      const printing = { program: 'ctl', args, flags, host } as const;
      const given = argumentValues(line, args);
      const hasDefaults =
        hasHelmDefaults(verb) && wantsHelmDefaults(givenSettings(helmDefaultsSettings, flags), context);
      const namespace = namespaceOf(verb, flags);
      const values = fieldValues(definition.fields, program, flags, hasDefaults);
      // the payload of its own type
      const payload = z.encode(
        commands[type].payload,
        payloadOf(verb, values, verb.values?.(flags) ?? {}, given, namespace),
      );
      return createSession(context).perform(sessionFlags(flags), type, payload as CommandParameters[Type], {
        quiet: definition.right === 'read',
        text: (answer) => shown(verb.text(answer, printing), stdout),
        ...(notes && { notes }),
        ...(failure && { failure: (answer) => failure(answer, printing) }),
      });
    },
  };
}

function flagsOf<Type extends CommandType>(verb: Verb<Type>): Flag[] {
  const { definition, flags = [] } = verb;
  const own = [
    ...fieldFlags(definition.fields, program),
    ...flags,
    ...sendFlags(),
    textFlag('namespace', 'namespace of the release (default: default)', { shorthand: 'n' }),
    ...(hasHelmDefaults(verb) ? settingFlags(helmDefaultsSettings) : []),
  ];
  return [...own, ...refusedFlags(`helm-agent ctl ${commandLineOf(verb).name}`, own)];
}

function hasHelmDefaults<Type extends CommandType>({ definition }: Verb<Type>): boolean {
  return Object.values(definition.fields).some(({ flags }) => flags.some((flag) => flag.helmDefault !== undefined));
}

/** A command for one release is for the namespace `default`, and others are for all. */
function namespaceOf<Type extends CommandType>({ isOfAll }: Verb<Type>, flags: FlagValues): { namespace?: string } {
  const namespace = flags.optionalText('namespace');
  if (isOfAll === undefined) return { namespace: namespace ?? 'default' };
  return namespace === undefined || isOfAll(flags) ? {} : { namespace };
}
