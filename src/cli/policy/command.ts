import { messageOf } from '../../errors/index.ts';
import { currentDate } from '../../go/host.ts';
import type { KubeObject } from '../../objects/object.ts';
import { chartReferenceOf } from '../../policy/chart-reference.ts';
import { type CommandPolicy, decide, PolicyError } from '../../policy/command-policy.ts';
import { type PolicyRules, readPolicy } from '../../policy/policy-rules.ts';
import { targetOf } from '../../protocol/commands/command-target.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { readObjects } from '../../render/manifest/read-objects.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import { CommandError, execute } from '../cobra/execute.ts';
import { ctlCommand } from '../ctl/command.ts';
import { knownCommand } from '../ctl/follow.ts';
import type { InterceptedCommand, ProgramDependencies } from '../dependencies.ts';
import { textFlag } from '../pflag/flag.ts';
import { verbs } from '../verb/index.ts';

/** Exit code if a policy refuses a command. */
const refusedCode = 3;

export const policyCommand: Command<ProgramDependencies> = {
  use: 'policy',
  long: 'Try the policy of the owner of a cluster.',
  subcommands: [
    {
      name: 'check',
      short: 'check a policy, and what it allows',
      load: () => Promise.resolve(checkCommand),
    },
  ],
};

const checkCommand: Command<ProgramDependencies> = {
  use: 'check FILE [-- COMMAND ...]',
  long: `Check the policy in a file, and whether it allows a command of ctl, which is not sent.

The exit code is 1 if the policy or the command line is wrong, and ${refusedCode} if the policy refuses the
command. --manifest adds the objects that the command would change: helm-agent template prints them.`,
  examples: [
    'policy.yaml',
    'policy.yaml -- install web oci://registry.example.com/charts/web --namespace shop',
    'policy.yaml --caller ci --manifest rendered.yaml -- upgrade web ./web --namespace shop',
  ],
  checkArguments: argumentCount('at least', 1),
  flags: () => [
    textFlag('caller', '`name` of the sender, as the control plane says it'),
    textFlag('manifest', '`file` with the objects that the command would change; - reads stdin'),
    textFlag('at', '`time` at which the command would begin, as 2006-01-02T15:04:05Z (default: now)'),
  ],
  async run({ args: [path = '', ...words], flags, context }) {
    const { stdout, stderr, host } = context;
    const policy = await policyAt(path, context);
    if (words.length === 0) {
      stdout.write(`${path} is correct; it has ${policy.rules.length} rules\n`);
      return 0;
    }
    const begins = timeOf(flags.optionalText('at')) ?? currentDate(host);
    const manifest = flags.optionalText('manifest');
    const objects = manifest === undefined ? [] : await objectsAt(manifest, context);
    const allowed: CommandPolicy[] = [];
    const interceptCommand = (sent: InterceptedCommand) => {
      const command = scopeOf(sent, context.table);
      try {
        const found = decide(policy, { ...command, sentBy: flags.optionalText('caller') }, { begins });
        for (const { apiVersion, kind, metadata, ...content } of objects) {
          const { name, namespace = command.namespace } = metadata;
          found.requireChange({ apiVersion, kind, name, namespace }, content);
        }
        allowed.push(found);
      } catch (error) {
        throw error instanceof PolicyError ? new CommandError(error.message, refusedCode) : error;
      }
    };
    const code = await execute(
      {
        name: 'ctl',
        root: ctlCommand(verbs),
        contextOf: () => ({ ...context, interceptCommand }),
        stdout: (text) => stdout.write(text),
        stderr: (text) => stderr.write(text),
      },
      words,
    );
    if (code !== 0) return code;
    for (const { rule } of allowed) {
      stdout.write(`allowed by ${rule === undefined ? 'the default of the policy' : `rule ${rule}`}\n`);
    }
    if (allowed.length > 0) return 0;
    stderr.write(`Error: ${words[0] ?? ''} sends no command to an agent\n`);
    return 1;
  },
};

/** Returns the parts of a command by which the policy decides. */
function scopeOf({ type, payload, hasChart }: InterceptedCommand, table: CommandTable | undefined) {
  const { definition, reader } = knownCommand(type, table);
  const read = reader.parse(payload);
  const changes = definition.changes(read);
  return {
    ...{ type, right: definition.right, changes: changes !== undefined },
    ...targetOf(read, changes),
    packet: 'unsent' as const,
    chart: chartReferenceOf({ ...read, ...(hasChart && { chartUpload: '' }) }),
  };
}

async function policyAt(path: string, dependencies: ProgramDependencies): Promise<PolicyRules> {
  const text = new TextDecoder().decode(await dependencies.readFile(path));
  try {
    return readPolicy(text);
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

async function objectsAt(path: string, dependencies: ProgramDependencies): Promise<KubeObject[]> {
  const text = new TextDecoder().decode(await dependencies.readFile(path));
  return Array.from(readObjects(text, path), ({ object }) => object);
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new Error(`--at: ${JSON.stringify(text)} is not a time`);
  return time;
}
