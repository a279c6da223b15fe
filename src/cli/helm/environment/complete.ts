import type { Command, CommandEntry, FoundCommand } from '../../cobra/command.ts';
import { findCommand, wordPositions } from '../../cobra/find-command.ts';
import { type Completion, directives, withoutFiles } from '../../completion/candidate.ts';
import { candidatesText, flagCompletion, lineOf, subcommandCompletion } from '../../completion/complete.ts';
import type { HelmContext } from '../context.ts';
import { globalFlags } from '../global-flags.ts';
import { chartCompletion, repositoryCandidates, versionCompletion } from './chart-candidates.ts';

/** The meaning of each argument of a command that is not a verb of the table. */
const argumentsOf: Readonly<Record<string, NonNullable<Command<unknown>['completes']>>> = {
  'helm install': { given: ['name', 'chart'] },
  'helm template': { given: ['name', 'chart'] },
  'helm upgrade': { given: ['release', 'chart'] },
  'helm pull': { given: ['remote chart'] },
  'helm env': { given: [] },
  'helm version': { given: [] },
  'helm repo list': { given: [] },
  'helm repo remove': { given: ['repository'], repeats: true },
  'helm repo update': { given: ['repository'], repeats: true },
  ...Object.fromEntries(
    ['all', 'chart', 'crds', 'readme', 'values'].map((part) => [`helm show ${part}`, { given: ['chart'] as const }]),
  ),
};

/** Returns the hidden command with which completion scripts ask for candidates. */
export function completeCommand(
  commands: () => readonly CommandEntry<HelmContext>[],
  { hasDescriptions }: { hasDescriptions: boolean },
): Command<HelmContext> {
  return {
    use: '__complete [command-line]',
    passesFlags: true,
    async run({ args, context }) {
      const typed = args.at(-1) ?? '';
      const completion = await completionOf(args.slice(0, -1), typed, commands(), context);
      context.stdout.write(candidatesText(completion, typed, hasDescriptions));
    },
  };
}

async function completionOf(
  words: readonly string[],
  typed: string,
  commands: readonly CommandEntry<HelmContext>[],
  context: HelmContext,
): Promise<Completion> {
  const last = words.at(-1) ?? '';
  if (['-n', '--namespace'].includes(last)) {
    return (await import('./cluster-candidates.ts')).namespaceCompletion(context);
  }
  if (last === '--kube-context') return (await import('./cluster-candidates.ts')).contextCompletion(context);
  const globals = globalFlags(context.settings);
  const top: FoundCommand<HelmContext> = {
    entry: { name: 'helm', short: '', load: () => Promise.resolve(top.command) },
    command: { use: 'helm', persistentFlags: globals, subcommands: commands },
    path: 'helm',
    inherited: [],
  };
  const { found, args } = await findCommand(top, words);
  const line = lineOf(found, args, typed, context);
  const ofFlag = flagCompletion(line);
  if (ofFlag !== undefined) return ofFlag;
  const isNamed = words.every((word) => !['-g', '--generate-name'].includes(word));
  const kinds = found.command.completes ?? argumentsOf[found.path];
  const wanted = (kinds?.given ?? []).filter((kind) => isNamed || kind !== 'name');
  const given = wordPositions(last === '--version' ? args.slice(0, -1) : args, line.flags).map((at) => args[at] ?? '');
  if (last === '--version' && wanted.some((kind) => kind.endsWith('chart'))) {
    return versionCompletion(given[wanted.findIndex((kind) => kind.endsWith('chart'))] ?? '', context);
  }
  const ofCommand = subcommandCompletion(line);
  if (ofCommand !== undefined) return ofCommand;
  if (kinds === undefined) return { candidates: [], directive: directives.default };
  const kind = wanted[given.length] ?? (kinds.repeats ? wanted.at(-1) : undefined);
  return argumentCompletion(kind, typed, given, context);
}

async function argumentCompletion(
  kind: string | undefined,
  typed: string,
  given: readonly string[],
  context: HelmContext,
): Promise<Completion> {
  switch (kind) {
    case 'release':
      return (await import('./release-candidates.ts')).releaseCompletion(given, context);
    case 'revision':
      return (await import('./release-candidates.ts')).revisionCompletion(given[0] ?? '', context);
    case 'chart':
    case 'remote chart':
      return chartCompletion(typed, kind === 'chart', context);
    case 'repository':
      return withoutFiles((await repositoryCandidates(context)).filter(({ name }) => !given.includes(name)));
    default:
      return withoutFiles([]);
  }
}
