import { agentIdSchema } from '../protocol/agent-id.ts';
import { tokenHash } from '../protocol/authorization.ts';

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

/**
 * Reads the text of an agents file: a line `ID sha256:HASH` for each agent. Empty lines and lines
 * that begin with `#` are ignored. Throws `AgentsFileError`.
 */
export function parseAgentsFile(text: string): AgentCredential[] {
  const credentials = new Map<string, AgentCredential>();
  for (const [index, content] of text.split('\n').entries()) {
    const trimmed = content.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, agentId = '', hash = ''] = line.exec(trimmed) ?? [];
    if (!agentIdSchema.safeParse(agentId).success) {
      throw new AgentsFileError(
        `agents file, line ${index + 1}: must be ID sha256:HASH; write it with helm-agent agents add`,
      );
    }
    if (credentials.has(agentId)) {
      throw new AgentsFileError(`agents file, line ${index + 1}: the agent ${agentId} has a line already`);
    }
    credentials.set(agentId, { agentId, hash });
  }
  return [...credentials.values()];
}

/** Returns the text of an agents file. */
export function formatAgentsFile(credentials: readonly AgentCredential[]): string {
  const header = '# Agents of a control plane, with the SHA-256 of their tokens. See helm-agent agents --help.\n';
  return header + credentials.map(({ agentId, hash }) => `${agentId} sha256:${hash}\n`).join('');
}

/** Returns the credential of an agent that has a token. */
export function credentialOf(agentId: string, token: string): AgentCredential {
  return { agentId, hash: tokenHash(token).toString('hex') };
}
