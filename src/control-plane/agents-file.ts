import { timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { bearerToken, tokenHash } from '../protocol/authorization.ts';
import { AgentsFileError, parseAgentsFile } from './agent-credentials.ts';
import type { AgentIdentity } from './identity.ts';
import { silentLog, type Logger } from './logger.ts';

export interface AgentsFileOptions {
  /** Default: nothing is logged. */
  log?: Logger;
  /** Interval between checks for changes, in milliseconds. Default: 1000. */
  intervalMs?: number;
}

/** The agents of a file, as it is now. */
export interface AgentsFile {
  /** For the option `authenticate` of a control plane. */
  readonly authenticate: (request: Pick<IncomingMessage, 'headers'>) => Promise<AgentIdentity | undefined>;
  /** Stops to watch the file. */
  close(): void;
}

interface Entry {
  agentId: string;
  hash: Buffer;
  revocation: AbortController;
}

/**
 * Opens a file that `helm-agent agents add` writes. It is read again when it changes: the
 * connection of an agent that is revoked is closed. If a changed file cannot be read, the agents of
 * the last one stay. Rejects with `AgentsFileError`.
 */
export async function openAgentsFile(path: string, options: AgentsFileOptions = {}): Promise<AgentsFile> {
  const { log = silentLog, intervalMs = 1000 } = options;
  let entries = new Map<string, Entry>();
  let version = '';

  async function load(): Promise<void> {
    const found = await versionOf(path);
    if (found === version) return;
    const next = new Map<string, Entry>();
    for (const { agentId, hash } of parseAgentsFile(await readAgentsFile(path))) {
      const known = entries.get(agentId);
      const bytes = Buffer.from(hash, 'hex');
      const isSame = known?.hash.equals(bytes) ?? false;
      next.set(agentId, isSame && known ? known : { agentId, hash: bytes, revocation: new AbortController() });
    }
    const revoked = [...entries.values()].filter((entry) => next.get(entry.agentId) !== entry);
    entries = next;
    version = found;
    for (const { revocation } of revoked) revocation.abort();
  }

  let lastProblem = '';
  async function reload(): Promise<void> {
    const problem = await load().then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem !== '' && problem !== lastProblem) {
      log.warn({ reason: problem }, 'cannot read the agents file; the agents that it had before stay');
    }
    lastProblem = problem;
  }

  await load();
  let reloading = Promise.resolve();
  const timer = setInterval(() => void (reloading = reloading.then(reload)), intervalMs);
  timer.unref();

  return {
    async authenticate({ headers }) {
      const token = bearerToken(headers.authorization);
      if (token === undefined) return undefined;
      // a token that was revoked or added a moment ago
      await (reloading = reloading.then(reload));
      const given = tokenHash(token);
      const entry = [...entries.values()].filter(({ hash }) => timingSafeEqual(hash, given)).at(0);
      return entry && { agentId: entry.agentId, revoked: entry.revocation.signal };
    },
    close: () => clearInterval(timer),
  };
}

/** Returns a text that changes when the file does. */
async function versionOf(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, ino, size } = await stat(path, { bigint: true });
    return [mtimeNs, ctimeNs, ino, size].join(' ');
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readAgentsFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
}

function unreadable(path: string, error: unknown): AgentsFileError {
  return new AgentsFileError(`cannot read the agents file: ${error instanceof Error ? error.message : path}`);
}
