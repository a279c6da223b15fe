import type { Command, CommandEntry, FoundCommand } from '../../cobra/command.ts';
import { findCommand, wordPositions } from '../../cobra/find-command.ts';
import type { Flag } from '../../pflag/flag.ts';
import { isShown } from '../../pflag/flag-usages.ts';
import { switchFlag } from '../../pflag/flag.ts';
import type { HelmContext } from '../context.ts';
import { globalFlags } from '../global-flags.ts';
import { directives, withoutFiles, type Candidate, type Completion } from './candidate.ts';
import { chartCompletion, repositoryCandidates, versionCompletion } from './chart-candidates.ts';

/** The meaning of each argument of a command. */
type Argument = 'release' | 'revision' | 'chart' | 'remote chart' | 'repository' | 'new';
const argumentsOf: Readonly<Record<string, { given: readonly Argument[]; repeats?: true }>> = {
  'helm install': { given: ['new', 'chart'] },
  'helm template': { given: ['new', 'chart'] },
  'helm upgrade': { given: ['release', 'chart'] },
  'helm pull': { given: ['remote chart'] },
  'helm rollback': { given: ['release', 'revision'] },
  'helm uninstall': { given: ['release'], repeats: true },
  'helm list': { given: [] },
  'helm env': { given: [] },
  'helm version': { given: [] },
  'helm repo list': { given: [] },
  'helm repo remove': { given: ['repository'], repeats: true },
  'helm repo update': { given: ['repository'], repeats: true },
  ...Object.fromEntries(
    ['all', 'chart', 'crds', 'readme', 'values'].map((part) => [`helm show ${part}`, { given: ['chart'] as const }]),
  ),
  ...Object.fromEntries(
    ['all', 'hooks', 'manifest', 'metadata', 'notes', 'values']
      .map((part) => `get ${part}`)
      .concat('status', 'history', 'test')
      .map((command) => [`helm ${command}`, { given: ['release'] as const }]),
  ),
};

/**
 * Returns the hidden command with which completion scripts ask for candidates: it prints them, and
 * the directive for the shell in the last line (cobra: completions.go).
 */
export function completeCommand(
  commands: () => readonly CommandEntry<HelmContext>[],
  { hasDescriptions }: { hasDescriptions: boolean },
): Command<HelmContext> {
  return {
    use: '__complete [command-line]',
    passesFlags: true,
    async run({ args, context }) {
      const words = args.slice(0, -1);
      const typed = args.at(-1) ?? '';
      const { candidates, directive } = await completionOf(words, typed, commands(), context);
      const matching = candidates.filter(({ name }) => name.startsWith(typed));
      const lines = matching.map(({ name, description }) =>
        hasDescriptions && description !== '' ? `${name}\t${description}\n` : `${name}\n`,
      );
      context.stdout.write(`${lines.join('')}:${directive}\n`);
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
    command: { use: 'helm', subcommands: commands },
    path: 'helm',
  };
  const { found, args } = await findCommand(top, words, globals);
  const own = [...(found.command.flags?.(context) ?? []), helpFlag(found.entry.name)];
  if (typed.startsWith('-')) return withoutFiles([...flagCandidates(globals), ...flagCandidates(own)]);
  if (['-o', '--output'].includes(last) && own.some(({ type }) => type === 'format')) return withoutFiles(formats);
  const isNamed = words.every((word) => !['-g', '--generate-name'].includes(word));
  const kinds = argumentsOf[found.path];
  const wanted = (kinds?.given ?? []).filter((kind) => isNamed || kind !== 'new');
  const flags = [...own, ...globals];
  const given = wordPositions(last === '--version' ? args.slice(0, -1) : args, flags).map((at) => args[at] ?? '');
  if (last === '--version' && wanted.some((kind) => kind.endsWith('chart'))) {
    return versionCompletion(given[wanted.findIndex((kind) => kind.endsWith('chart'))] ?? '', context);
  }
  const subcommands = (found.command.subcommands ?? []).filter(({ isHidden }) => isHidden !== true);
  if (given.length === 0 && subcommands.length > 0) {
    const sorted = subcommands.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return withoutFiles(sorted.map(({ name, short }) => ({ name, description: short })));
  }
  if (kinds === undefined) return { candidates: [], directive: directives.default };
  const kind = wanted[given.length] ?? (kinds.repeats ? wanted.at(-1) : undefined);
  return argumentCompletion(kind, typed, given, context);
}

async function argumentCompletion(
  kind: Argument | undefined,
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
    case 'new':
    case undefined:
      return withoutFiles([]);
  }
}

const formats: readonly Candidate[] = [
  { name: 'json', description: 'Output result in JSON format' },
  { name: 'table', description: 'Output result in human-readable format' },
  { name: 'yaml', description: 'Output result in YAML format' },
];

function helpFlag(command: string): Flag {
  return switchFlag('help', `help for ${command}`, { shorthand: 'h' });
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
  const shown = flags.filter(isShown).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return shown.flatMap(({ name, shorthand, usage: description }) => [
    { name: `--${name}`, description },
    ...(shorthand === undefined ? [] : [{ name: `-${shorthand}`, description }]),
  ]);
}
