import * as z from 'zod';
import type { CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import { explainIssue, problemTexts } from '../../protocol/validation.ts';
import type { Command, CommandEntry } from '../cobra/command.ts';
import { knownCommand } from '../ctl/follow.ts';
import { shown } from '../ctl/output/print.ts';
import { sendFlags, sessionFlags } from '../ctl/send-flags.ts';
import { createSession, type PerformOptions } from '../ctl/session.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { refusedFlags } from '../helm-flags.ts';
import { type Flag, textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { givenSettings, readSettings, settingFlags, type Settings, switchSchema } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import { checkOf, shortOf, useOf } from './arguments.ts';
import { chartFlags, givenChart, hasChart } from './chart-flags.ts';
import { exclusiveFlagsOf, fieldFlags } from './field-flags.ts';
import { givenManifests, hasManifests, manifestFlags } from './manifest-flags.ts';
import { callsOf, commandLineOf, typeOf, type Verb, type VerbParts } from './verb.ts';

const program = { program: 'ctl' } as const;

/**
 * Returns the command of `ctl` for a verb.
 *
 * @param group the command above it. Default: `ctl` itself.
 */
export function ctlVerb<Type extends string, Answer extends object>(
  verb: Verb<Type, Answer>,
  group?: string,
): Command<ProgramDependencies> {
  const { definition, notes, failure, exitCode } = verb;
  const line = commandLineOf(verb);
  return {
    use: useOf(line),
    long: line.long ?? line.short,
    examples: line.examples.map((example) => `${example} --agent edge-1`.trimStart()),
    checkArguments: checkOf(line),
    exclusiveFlags: exclusiveFlagsOf(definition.fields),
    flags: () => flagsOf(verb, group),
    async run({ args, flags, context }) {
      const { stdout, host, env, programName } = context;
      const hasDefaults =
        hasHelmDefaults(verb) && wantsHelmDefaults(givenSettings(helmDefaultsSettings, flags), context);
      const given = { program: 'ctl', args, flags, host, env, hasHelmDefaults: hasDefaults } as const;
      const calls = await callsOf(verb, program, given);
      const session = createSession(context);
      const sent = sessionFlags(flags);
      const next = (...words: readonly string[]) =>
        [programName, 'ctl', ...words, '--agent', session.agentOf(sent)].map(shellWord).join(' ');
      const type = typeOf(verb, flags) as CommandType; // the one that the verb says
      const { definition: command } = knownCommand(type, context.table);
      for (const call of calls) {
        const printing = { ...given, args: call.args, next } as const;
        const found = hasChart(definition.fields) ? await givenChart(call.values['chartName'], flags, context) : {};
        const manifests = hasManifests(definition.fields) ? await givenManifests(flags, context) : {};
        const values = { ...call.values, ...found.values, ...manifests, ...namespaceOf(verb, flags) };
        const own = (answer: object) => answer as Answer; // it was read with the schema of the type
        // the payload of its own type
        const payload = packetPayload(command.payload, values) as CommandParameters[CommandType];
        const code = await session.perform(sent, type, payload, {
          ...progressOptions(verb, flags),
          chart: found.chart,
          text: async (answer) => shown(await verb.text(own(answer), printing), stdout),
          ...(notes && { notes: (answer) => notes(own(answer), printing) }),
          ...(failure && { failure: (answer) => failure(own(answer), printing) }),
          ...(exitCode && { exitCode: (answer) => exitCode(own(answer), printing) }),
        });
        if (code !== 0) return code;
      }
      return 0;
    },
  };
}

/** Returns the entry of a verb in a group of commands. */
export function ctlEntry<Type extends string, Answer extends object>(
  verb: Verb<Type, Answer>,
  group: string,
): CommandEntry<ProgramDependencies> {
  const line = commandLineOf(verb);
  return {
    name: line.name,
    short: shortOf(line),
    aliases: line.aliases ?? [],
    load: () => Promise.resolve(ctlVerb(verb, group)),
  };
}

function flagsOf(verb: VerbParts, group: string | undefined): Flag[] {
  const { definition, isOfAll, flags = [], flagsOnly = {}, refusedFlags: refused } = verb;
  const own = [
    ...fieldFlags(definition.fields, program),
    ...flags,
    ...(flagsOnly.ctl ?? []),
    ...(hasChart(definition.fields) ? chartFlags : []),
    ...(hasManifests(definition.fields) ? manifestFlags : []),
    ...sendFlags(),
    textFlag(
      'namespace',
      isOfAll === undefined ? 'namespace of the release (default: default)' : 'namespace (default: all)',
      {
        shorthand: 'n',
        isHidden: !Object.hasOwn(definition.fields, 'namespace'),
      },
    ),
    ...(hasHelmDefaults(verb) ? settingFlags(helmDefaultsSettings) : []),
  ];
  const words = ['helm-agent', 'ctl', ...(group === undefined ? [] : [group]), commandLineOf(verb).name];
  return [...own, ...refusedFlags(words.join(' '), own, refused)];
}

function hasHelmDefaults({ definition }: VerbParts): boolean {
  return Object.values(definition.fields).some(({ flags }) => flags.some((flag) => flag.helmDefault !== undefined));
}

/** A command for one release is for the namespace `default`, and others are for all. */
function namespaceOf({ isOfAll }: VerbParts, flags: FlagValues): { namespace?: string } {
  const namespace = flags.optionalText('namespace');
  if (isOfAll === undefined) return { namespace: namespace ?? 'default' };
  return namespace === undefined || isOfAll(flags) ? {} : { namespace };
}

function progressOptions(
  { definition, shows }: VerbParts,
  flags: FlagValues,
): Pick<PerformOptions<CommandType>, 'json' | 'quiet' | 'isCancelledByInterrupt'> {
  switch (shows?.(flags) ?? (definition.right === 'read' ? 'nothing' : 'progress')) {
    case 'nothing':
      return { quiet: true };
    case 'progress':
      return {};
    case 'changes':
      return { isCancelledByInterrupt: true };
    case 'json':
      return { isCancelledByInterrupt: true, json: true };
  }
}

/** Returns a payload as packets have it. Throws an error about the arguments that do not fit. */
export function packetPayload(schema: z.ZodType, payload: Readonly<Record<string, unknown>>): unknown {
  const encoded = z.safeEncode(schema, payload, { error: explainIssue });
  if (encoded.success) return encoded.data;
  throw new Error(problemTexts(encoded.error.issues, 'the command').join('; '));
}

/** The flag that turns the safe defaults of the agent off. */
const helmDefaultsSettings = {
  helmDefaults: {
    flag: 'helm-defaults',
    variable: 'HELM_AGENT_HELM_DEFAULTS',
    description:
      'use the defaults of helm: do not wait, do not undo a failure, do not create the namespace, and wait until the deadline for pods that fail',
  },
} satisfies Settings<string>;

const schema = z.object({ helmDefaults: switchSchema });

/** Whether the defaults of helm are asked for. */
function wantsHelmDefaults(
  flags: Readonly<Record<string, unknown>>,
  { env }: Pick<ProgramDependencies, 'env'>,
): boolean {
  return readSettings(schema, helmDefaultsSettings, flags, env).helmDefaults;
}
