import { type Command, type CommandEntry, loadedEntry } from './cobra/command.ts';
import { execute } from './cobra/execute.ts';
import type { ProgramDependencies } from './dependencies.ts';
import { type VerbEntry, verbs as allVerbs } from './verb/index.ts';

/** The whole program: takes the arguments after its name and resolves to its exit code. */
export type Program = (args: readonly string[]) => Promise<number>;

type Entry = CommandEntry<ProgramDependencies>;

/** Returns the commands; each is loaded when it is used. */
function commandsOf(verbs: readonly VerbEntry[]): readonly Entry[] {
  return [
    {
      name: 'run',
      short: 'run an agent: connect to a control plane or listen, and perform commands on a cluster',
      load: async () => (await import('./run/command.ts')).runCommand,
    },
    {
      name: 'control-plane',
      short: 'run a control plane: accept agents, and offer a REST API to command them',
      load: async () => (await import('./control-plane/command.ts')).controlPlaneCommand,
    },
    {
      name: 'agents',
      short: 'edit the file with the credentials of agents',
      load: async () => (await import('./agents/command.ts')).agentsCommand,
    },
    {
      name: 'guard',
      short: 'guard the upgrade of an agent, in its Job',
      isHidden: true,
      load: async () => (await import('./guard/command.ts')).guardCommand,
    },
    {
      name: 'audit',
      short: 'check an audit log of a control plane',
      load: async () => (await import('./audit/command.ts')).auditCommand,
    },
    {
      name: 'rights',
      short: 'print the service account and the roles that the owner of a cluster creates for a namespace',
      load: async () => (await import('./rights/command.ts')).rightsCommand,
    },
    {
      name: 'policy',
      short: 'try the policy of the owner of a cluster',
      load: async () => (await import('./policy/command.ts')).policyCommand,
    },
    {
      name: 'sandbox',
      short: 'run a Kubernetes API in memory, with simulated workloads',
      load: async () => (await import('./sandbox/command.ts')).sandboxCommand,
    },
    {
      name: 'ctl',
      short: 'send commands to agents through a control plane, and follow them',
      load: async () => (await import('./ctl/command.ts')).ctlCommand(verbs),
    },
    {
      name: 'helm',
      short: "Helm's commands, with Helm's arguments and output; alias helm='helm-agent helm'",
      load: () => Promise.resolve(helmGroup(verbs)),
    },
    {
      name: 'completion',
      short: 'print a script for completion in a shell',
      load: async () => (await import('./completion/command.ts')).completionCommand(name),
    },
    helmEntry('template', 'render a chart and print its manifests; the same as helm template'),
    helmEntry('lint', 'examine charts for possible problems; the same as helm lint'),
    helmEntry('show', 'show information about a chart; the same as helm show'),
  ];
}

/** The commands of helm that are commands of this program, too. */
const namesOfHelm = ['template', 'lint', 'show'];

function helmGroup(verbs: readonly VerbEntry[]): Command<ProgramDependencies> {
  return {
    use: 'helm',
    delegate: async (args, dependencies) => (await import('./helm/command.ts')).runHelm(args, dependencies, { verbs }),
  };
}

/** Returns a command that has the name of one of helm's, and runs it. */
function helmEntry(name: string, short: string): Entry {
  const command: Command<ProgramDependencies> = {
    use: name,
    async delegate(args, dependencies) {
      const { runHelm } = await import('./helm/command.ts');
      return runHelm([name, ...args], dependencies, { name: 'helm-agent' });
    },
  };
  return loadedEntry(name, short, command);
}

const name = 'helm-agent';

function rootOf(verbs: readonly VerbEntry[]): Command<ProgramDependencies> {
  const long = 'A Kubernetes deploy agent with Helm inside.';
  return { use: name, long, subcommands: commandsOf(verbs) };
}

/**
 * Returns the program.
 *
 * @param verbs those of `ctl` and `helm`. Default: those of helm-agent.
 */
export function createProgram(dependencies: ProgramDependencies, verbs: readonly VerbEntry[] = allVerbs): Program {
  const root = rootOf(verbs);
  const { version, stdout, stderr } = dependencies;
  const program = {
    ...{ name, root, version, explainsMistakes: true },
    contextOf: () => dependencies,
    stdout: (text: string) => stdout.write(text),
    stderr: (text: string) => stderr.write(text),
    columns: stdout.isTerminal ? stdout.columns : undefined,
  };
  return (args) => {
    const [first = '', ...words] = args;
    const isCompletion = first === '__complete' || first === '__completeNoDesc';
    return isCompletion ? complete(first, words, { dependencies, root, verbs }) : execute(program, args);
  };
}

/** Prints the candidates for the last of some words. Those of helm come from its own command. */
async function complete(
  command: string,
  words: readonly string[],
  {
    dependencies,
    root,
    verbs,
  }: { dependencies: ProgramDependencies; root: Command<ProgramDependencies>; verbs: readonly VerbEntry[] },
): Promise<number> {
  const [first = '', ...rest] = words;
  if (rest.length > 0 && (first === 'helm' || namesOfHelm.includes(first))) {
    const { runHelm } = await import('./helm/command.ts');
    return runHelm([command, ...(first === 'helm' ? rest : words)], dependencies, { verbs });
  }
  const { candidatesText, completeCommands } = await import('./completion/complete.ts');
  const typed = words.at(-1) ?? '';
  const completion = await completeCommands(root, words.slice(0, -1), typed, dependencies, async (line) => {
    const { completeNames } = await import('./ctl/complete-names.ts');
    return await completeNames(line, dependencies);
  });
  dependencies.stdout.write(candidatesText(completion, typed, command === '__complete'));
  return 0;
}
