import type { Command } from 'commander';
import * as z from 'zod';
import {
  credentialOf,
  formatAgentsFile,
  parseAgentsFile,
  type AgentCredential,
} from '../../control-plane/agent-credentials.ts';
import { agentIdSchema } from '../../protocol/agent-id.ts';
import { openError } from '../../go/file-error.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { addSettings, readSettings, settingError } from '../settings.ts';
import { agentsFileSetting } from './setting.ts';

const settings = { agentsFile: agentsFileSetting };
const schema = z.object({ agentsFile: z.string({ error: 'name the file' }) });

/** Number of random bytes in a token. */
const tokenBytes = 32;

type Flags = Record<string, unknown>;

/** Adds `agents` and its commands. */
export function addAgents(program: Command, dependencies: ProgramDependencies): void {
  const agents = program.command('agents').description('Edit the file with the credentials of agents');
  const { stdout, stderr, env } = dependencies;
  const fileOf = (flags: Flags) => readSettings(schema, settings, flags, env).agentsFile;

  addCommand(agents, 'add <id>', 'Add an agent, and print its token, which is stored nowhere else', [
    'add edge-1 --agents-file agents > edge-1.token',
  ]).action(async (id: string, flags: Flags) => {
    const file = fileOf(flags);
    requireAgentId(id);
    const credentials = await readAgents(file, dependencies, { isNewAllowed: true });
    if (credentials.some(({ agentId }) => agentId === id)) {
      throw new Error(`${file} has the agent ${id} already; to give it another token, revoke it first`);
    }
    const token = Buffer.from(dependencies.host.randomBytes(tokenBytes)).toString('base64url');
    await dependencies.writePrivateFile(file, formatAgentsFile([...credentials, credentialOf(id, token)]));
    stdout.write(`${token}\n`);
    stderr.write(`Give this token to the agent ${id} as its --token-file. It is not shown again.\n`);
  });

  addCommand(agents, 'revoke <id>', 'Remove an agent; a control plane that runs closes its connection', [
    'revoke edge-1 --agents-file agents',
  ]).action(async (id: string, flags: Flags) => {
    const file = fileOf(flags);
    const credentials = await readAgents(file, dependencies);
    const others = credentials.filter(({ agentId }) => agentId !== id);
    if (others.length === credentials.length) throw new Error(`${file} has no agent ${id}`);
    await dependencies.writePrivateFile(file, formatAgentsFile(others));
    stderr.write(`The agent ${id} is revoked.\n`);
  });

  addCommand(agents, 'list', 'Print the ids of the agents', ['list --agents-file agents']).action(
    async (flags: Flags) => {
      const credentials = await readAgents(fileOf(flags), dependencies);
      stdout.write(credentials.map(({ agentId }) => `${agentId}\n`).join(''));
    },
  );
}

function addCommand(agents: Command, usage: string, description: string, examples: readonly string[]): Command {
  const command = agents.command(usage).description(description);
  addSettings(command, settings);
  const lines = examples.map((example) => `  helm-agent agents ${example}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

function requireAgentId(id: string): void {
  const { error } = agentIdSchema.safeParse(id);
  if (error) throw new Error(`the id of an agent ${error.issues[0]?.message ?? 'is not valid'}`);
}

/** Reads the agents of a file. With `isNewAllowed`, a file that does not exist has no agents. */
async function readAgents(
  file: string,
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
  { isNewAllowed = false }: { isNewAllowed?: boolean } = {},
): Promise<AgentCredential[]> {
  try {
    return parseAgentsFile(new TextDecoder().decode(await readFile(file)));
  } catch (error) {
    if (isNewAllowed && error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    if (error instanceof Error && error.name === 'AgentsFileError')
      throw settingError(agentsFileSetting, error.message);
    throw settingError(agentsFileSetting, openError(file, error).message);
  }
}
