import { tokenHash } from '../net/authorization.ts';
import { agentIdSchema } from '../protocol/agent-id.ts';

/**
 * The credential of one agent. SHA-256 is enough, without a salt and without many rounds, because
 * tokens are random and have 256 bits: they cannot be guessed from their hashes.
 */
export interface AgentCredential {
  agentId: string;
  /** SHA-256 of the token, as 64 hexadecimal digits. */
  hash: string;
}

/** An agents file that cannot be read. */
export class AgentsFileError extends Error {
  override readonly name = 'AgentsFileError';
  readonly code = 'agents_file_invalid';
}

const line = /^(\S+)\s+sha256:([0-9a-f]{64})$/;

/** Number of wrong lines that an error has. */
const maxProblems = 20;

function problemText(file: string, problems: readonly string[]): string {
  const more = problems.length - maxProblems;
  const shown = [...problems.slice(0, maxProblems), ...(more > 0 ? [`and ${more} more lines`] : [])];
  return shown.length === 1
    ? `agents file ${file}, ${shown[0] ?? ''}`
    : `agents file ${file}:\n  ${shown.join('\n  ')}`;
}

/** Bytes of an agents file, which are enough for 50,000 tokens. */
export const maxAgentsFileBytes = 4 * 1024 * 1024;

/** A line of an agents file: empty, with a credential, or wrong. */
interface Line {
  credential?: AgentCredential;
  problem?: string;
}

function readLine(content: string): Line {
  const trimmed = content.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return {};
  const [, agentId = '', hash = ''] = line.exec(trimmed) ?? [];
  if (agentIdSchema.safeParse(agentId).success) return { credential: { agentId, hash } };
  return { problem: 'must be ID sha256:HASH; write it with helm-agent agents add' };
}

/** The right lines of an agents file, and what is wrong with the others. */
export interface AgentsFileContent {
  /** One for each token. An agent has several while its token is replaced. */
  credentials: AgentCredential[];
  /** Names the file and the wrong lines. Undefined if all are right. */
  problem: string | undefined;
}

/**
 * Reads the text of an agents file: a line `ID sha256:HASH` for each token. Empty lines and lines
 * that begin with `#` are ignored, and so are repeated ones.
 */
export function readAgentsText(text: string, file = ''): AgentsFileContent {
  if (text.length > maxAgentsFileBytes) {
    return { credentials: [], problem: `agents file ${file} has more than ${maxAgentsFileBytes} bytes` };
  }
  const credentials = new Map<string, AgentCredential>();
  const problems: string[] = [];
  for (const [index, content] of text.split('\n').entries()) {
    const { credential, problem } = readLine(content);
    if (problem !== undefined) problems.push(`line ${index + 1}: ${problem}`);
    if (credential) credentials.set(formatLine(credential), credential);
  }
  return {
    credentials: [...credentials.values()],
    problem: problems.length === 0 ? undefined : problemText(file, problems),
  };
}

/**
 * Returns the credentials in the text of an agents file. Throws `AgentsFileError`, which names the
 * file and the wrong lines.
 */
export function parseAgentsFile(text: string, file = ''): AgentCredential[] {
  const { credentials, problem } = readAgentsText(text, file);
  if (problem !== undefined) throw new AgentsFileError(problem);
  return credentials;
}

const header = '# Agents of a control plane, with the SHA-256 of their tokens. See helm-agent agents --help.\n';

/** Returns the text of an agents file. */
export function formatAgentsFile(credentials: readonly AgentCredential[]): string {
  return header + credentials.map(formatLine).join('');
}

/** Returns the text of an agents file with one more credential. All other lines stay. */
export function withCredential(text: string, credential: AgentCredential): string {
  if (text.trim() === '') return formatAgentsFile([credential]);
  return `${text.replace(/\n?$/, '\n')}${formatLine(credential)}`;
}

/** Returns the text of an agents file without some credentials. All other lines stay. */
export function withoutCredentials(text: string, isRevoked: (credential: AgentCredential) => boolean): string {
  const lines = text.split('\n').filter((content) => {
    const { credential } = readLine(content);
    return credential === undefined || !isRevoked(credential);
  });
  return lines.join('\n') || header;
}

function formatLine({ agentId, hash }: AgentCredential): string {
  return `${agentId} sha256:${hash}\n`;
}

/** Returns the credential of an agent that has a token. */
export function credentialOf(agentId: string, token: string): AgentCredential {
  return { agentId, hash: tokenHash(token) };
}
