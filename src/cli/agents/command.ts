import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import {
  type AgentCredential,
  credentialOf,
  readAgentsText,
  withCredential,
  withoutCredentials,
} from '../../control-plane/agent-credentials.ts';
import { openError } from '../../go/file-error.ts';
import { agentIdSchema } from '../../protocol/agent-id.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import { type Command, loadedEntry } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { switchFlag, textFlag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { givenSettings, readSettings, settingError, settingFlags } from '../settings.ts';
import { agentsFileSetting } from './setting.ts';

const settings = { agentsFile: agentsFileSetting };
const schema = z.object({ agentsFile: z.string({ error: 'name the file' }) });

/** Number of random bytes in a token. */
const tokenBytes = 32;

/** Hexadecimal digits of the hash of a token that are shown. */
const shownDigits = 12;

const oneAgent = argumentCount('exactly', 1);
const hash = 'end only the token whose SHA-256 begins with these `digits`; list --tokens prints them';

export const agentsCommand: Command<ProgramDependencies> = {
  use: 'agents',
  persistentFlags: settingFlags(settings),
  subcommands: [
    loadedEntry('add', 'add an agent, and print its token, which is stored nowhere else', {
      use: 'add ID',
      examples: ['edge-1 --agents-file agents > edge-1.token'],
      checkArguments: oneAgent,
      run: ({ args: [id = ''], flags, context }) => add(id, fileOf(flags, context), context),
    }),
    loadedEntry('rotate', 'add another token for an agent, and print it', {
      use: 'rotate ID',
      long: `Add another token for an agent, and print it. The tokens that it has stay valid
until they are revoked.`,
      examples: ['edge-1 --agents-file agents > edge-1.token'],
      checkArguments: oneAgent,
      run: ({ args: [id = ''], flags, context }) => rotate(id, fileOf(flags, context), context),
    }),
    loadedEntry('revoke', 'remove an agent, or one of its tokens', {
      use: 'revoke ID',
      long: 'Remove an agent, or one of its tokens. A control plane that runs closes its connection.',
      examples: ['edge-1 --agents-file agents', 'edge-1 --token 8c6976e5b541 --agents-file agents'],
      checkArguments: oneAgent,
      flags: () => [textFlag('token', hash)],
      run: ({ args: [id = ''], flags, context }) =>
        revoke(id, fileOf(flags, context), flags.isGiven('token') ? flags.text('token') : undefined, context),
    }),
    loadedEntry('list', 'print the ids of the agents', {
      use: 'list',
      examples: ['--agents-file agents'],
      checkArguments: argumentCount('exactly', 0),
      flags: () => [switchFlag('tokens', 'print a line for each token, with the first digits of its SHA-256')],
      run: ({ flags, context }) => list(fileOf(flags, context), flags.isOn('tokens'), context),
    }),
  ],
};

function fileOf(flags: FlagValues, { env }: ProgramDependencies): string {
  return readSettings(schema, settings, givenSettings(settings, flags), env).agentsFile;
}

async function add(id: string, file: string, dependencies: ProgramDependencies): Promise<undefined> {
  await addToken(id, file, dependencies, (credentials) => {
    if (!credentials.some(({ agentId }) => agentId === id)) return;
    throw new Error(`${file} has the agent ${id} already; to give it another token, use rotate`);
  });
  dependencies.stderr.write(`Give this token to the agent ${id} as its --token-file. It is not shown again.\n`);
}

async function rotate(id: string, file: string, dependencies: ProgramDependencies): Promise<undefined> {
  let older: string[] = [];
  await addToken(id, file, dependencies, (credentials) => {
    older = credentials
      .filter(({ agentId }) => agentId === id)
      .map((credential) => credential.hash.slice(0, shownDigits));
    if (older.length === 0) throw new Error(`${file} has no agent ${id}; add it`);
  });
  const advice = older.map((digits) => `  helm-agent agents revoke ${id} --token ${digits}\n`).join('');
  const head = `Give this token to the agent ${id} as its --token-file. When it has it, end the older:\n`;
  dependencies.stderr.write(`${head}${advice}`);
}

/** Adds a token to the file if `check` does not throw, and prints it. */
async function addToken(
  id: string,
  file: string,
  dependencies: ProgramDependencies,
  check: (credentials: AgentCredential[]) => void,
): Promise<void> {
  const { host, stdout } = dependencies;
  requireAgentId(id);
  const token = Buffer.from(host.randomBytes(tokenBytes)).toString('base64url');
  const credential = credentialOf(id, token);
  await dependencies.updatePrivateFile(file, (text = '') => {
    check(credentialsOf(text, file));
    return withCredential(text, credential);
  });
  stdout.write(`${token}\n`);
  await setImmediate(); // a pipe without a reader fails a moment later
  if (!stdout.closed.aborted) return;
  const revokeIt = `revoke ${id} --token ${credential.hash.slice(0, shownDigits)}`;
  throw new Error(`no one has read the token of ${id}, which is stored nowhere; ${revokeIt}, and try again`);
}

async function revoke(
  id: string,
  file: string,
  token: string | undefined,
  dependencies: ProgramDependencies,
): Promise<undefined> {
  requireAgentId(id);
  const prefix = tokenPrefix(token);
  await dependencies.updatePrivateFile(file, (text) => {
    if (text === undefined) throw settingError(agentsFileSetting, `open ${file}: no such file or directory`);
    const own = readAgentsText(text, file).credentials.filter(({ agentId }) => agentId === id);
    if (own.length === 0) throw new Error(`${file} has no agent ${id}`);
    const revoked = new Set(own.map((credential) => credential.hash).filter((each) => each.startsWith(prefix)));
    if (revoked.size === 0) throw new Error(`the agent ${id} has no token whose hash begins with ${prefix}`);
    if (prefix !== '' && revoked.size > 1) {
      throw new Error(`the agent ${id} has ${revoked.size} tokens whose hashes begin with ${prefix}; give more digits`);
    }
    return withoutCredentials(text, (credential) => credential.agentId === id && revoked.has(credential.hash));
  });
  dependencies.stderr.write(prefix === '' ? `The agent ${id} is revoked.\n` : `The token of ${id} is revoked.\n`);
}

async function list(file: string, withTokens: boolean, dependencies: ProgramDependencies): Promise<undefined> {
  const credentials = await readAgents(file, dependencies);
  const lines = credentials.map((credential) =>
    withTokens ? `${credential.agentId} ${credential.hash.slice(0, shownDigits)}\n` : `${credential.agentId}\n`,
  );
  dependencies.stdout.write([...new Set(lines)].join(''));
}

/** Returns the digits of `--token`; empty if it is not given. */
function tokenPrefix(token: string | undefined): string {
  if (token === undefined) return '';
  const digits = token.replace(/^sha256:/, '').toLowerCase();
  if (/^[0-9a-f]{4,64}$/.test(digits)) return digits;
  throw new Error('--token: must be the first digits of the SHA-256 of a token, at least 4; list --tokens prints them');
}

function requireAgentId(id: string): void {
  const { error } = agentIdSchema.safeParse(id);
  if (error) throw new Error(`the id of an agent ${error.issues[0]?.message ?? 'is not valid'}`);
}

async function readAgents(file: string, { readFile }: Pick<ProgramDependencies, 'readFile'>) {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw settingError(agentsFileSetting, openError(file, error).message);
  });
  return credentialsOf(new TextDecoder().decode(bytes), file);
}

/** Reads the text of an agents file. Throws an error if a line is wrong. */
function credentialsOf(text: string, file: string): AgentCredential[] {
  const { credentials, problem } = readAgentsText(text, file);
  if (problem !== undefined) throw settingError(agentsFileSetting, problem);
  return credentials;
}
