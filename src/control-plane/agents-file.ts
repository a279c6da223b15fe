import type { IncomingMessage } from 'node:http';
import { messageOf } from '../errors/index.ts';
import { bearerToken, tokenHash } from '../net/authorization.ts';
import { AgentsFileError, maxAgentsFileBytes, readAgentsText } from './agent-credentials.ts';
import { fileVersion, readBoundedFile } from './bounded-file.ts';
import type { AgentIdentity } from './identity.ts';
import { type Logger, silentLog } from './logger.ts';

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
  /** Returns the ids of the agents, for the option `registeredAgents` of a control plane. */
  readonly registeredAgents: () => string[];
  /**
   * Whether the file could be read when it changed last, for the option `areAgentsReadable` of a
   * control plane. If not, the last agents stay.
   */
  readonly isReadable: () => boolean;
  /** Stops to watch the file. */
  close(): void;
}

interface Entry {
  agentId: string;
  revocation: AbortController;
}

/**
 * Opens a file that `helm-agent agents add` writes. It is read again when it changes: connections
 * with a token that is revoked are closed. Wrong lines are logged, and the others count. If a
 * changed file cannot be read, is empty, or has wrong lines only, the tokens of the last one stay:
 * those that were revoked stay revoked, and no other one is. Rejects with `AgentsFileError`.
 */
export async function openAgentsFile(path: string, options: AgentsFileOptions = {}): Promise<AgentsFile> {
  const { log = silentLog, intervalMs = 1000 } = options;
  /** By the hashes of the tokens. */
  let entries = new Map<string, Entry>();
  let version = '';
  let unusable: string | undefined;
  /** A program that writes a file makes it empty first. */
  const emptied = (text: string) => (text === '' && entries.size > 0 ? `agents file ${path} is empty` : undefined);

  async function load(): Promise<void> {
    const cannot = (error: unknown) => Promise.reject(unreadable(path, error));
    const found = await fileVersion(path).catch(cannot);
    if (found === version) return;
    const text = await readBoundedFile(path, maxAgentsFileBytes).catch(cannot);
    // it may have been read in the middle of a change
    if ((await fileVersion(path).catch(cannot)) !== found) return;
    version = found;
    const { credentials, problem } = readAgentsText(text, path);
    unusable = credentials.length === 0 ? (problem ?? emptied(text)) : undefined;
    if (unusable !== undefined) return;
    if (problem !== undefined) log.warn({ reason: problem }, 'the agents file has wrong lines; the others count');
    const next = new Map<string, Entry>();
    for (const { agentId, hash } of credentials) {
      if (next.has(hash)) continue; // a token belongs to one agent
      const known = entries.get(hash);
      next.set(hash, known?.agentId === agentId ? known : { agentId, revocation: new AbortController() });
    }
    const revoked = [...entries].filter(([hash, entry]) => next.get(hash) !== entry);
    entries = next;
    for (const [, { revocation }] of revoked) revocation.abort();
  }

  let problem = '';
  async function reload(): Promise<void> {
    const last = problem;
    problem = await load().then(
      () => unusable ?? '',
      (error: unknown) => messageOf(error),
    );
    if (problem !== '' && problem !== last) {
      log.warn({ reason: problem }, 'cannot read the agents file; the agents that it had before stay');
    }
  }

  await load();
  if (unusable !== undefined) throw new AgentsFileError(unusable);
  let reloading = Promise.resolve();
  const timer = setInterval(() => void (reloading = reloading.then(reload)), intervalMs);
  timer.unref();

  return {
    async authenticate({ headers }) {
      const token = bearerToken(headers.authorization);
      if (token === undefined) return undefined;
      // a token that was revoked or added a moment ago
      await (reloading = reloading.then(reload));
      // tokens are random, so the time that it takes to find a hash tells nothing about them
      const entry = entries.get(tokenHash(token));
      return entry && { agentId: entry.agentId, revoked: entry.revocation.signal };
    },
    registeredAgents: () => [...new Set([...entries.values()].map(({ agentId }) => agentId))],
    isReadable: () => problem === '',
    close: () => clearInterval(timer),
  };
}

function unreadable(path: string, error: unknown): AgentsFileError {
  const reason = error instanceof Error ? error.message : 'unknown error';
  return new AgentsFileError(`cannot read the agents file ${path}: ${reason}`);
}
