import { setTimeout as sleep } from 'node:timers/promises';
import type { ProgramDependencies } from '../../dependencies.ts';
import { oneLine } from '../../text.ts';
import type { Agent, ApiClient } from '../api-client.ts';
import { ApiError } from '../api-request.ts';

export interface WaitForAgentOptions extends Pick<ProgramDependencies, 'stderr' | 'onInterrupt' | 'programName'> {
  client: Pick<ApiClient, 'agent'>;
  /** When the token of the agent ends, RFC 3339. */
  expiresAt: string;
  /** Time between two looks, in milliseconds. Default: 1000. */
  intervalMs?: number;
}

/** Number of failures in a row after which waiting ends. */
const maxFailures = 30;

/** Number of looks at an agent that does not say how its cluster is, after which it is healthy. */
const patience = 10;

/** Shows on stderr how an agent that is invited comes in. Returns the exit code. */
export async function waitForAgent(agentId: string, options: WaitForAgentOptions): Promise<number> {
  const { client, expiresAt, stderr, onInterrupt, programName, intervalMs = 1000 } = options;
  const name = oneLine(agentId);
  const interrupted = new AbortController();
  const release = onInterrupt(() => interrupted.abort());
  let shown = '';
  const show = (text: string) => {
    if (text !== shown) stderr.write(`${text}\n`);
    shown = text;
  };
  try {
    let failures = 0;
    for (let silent = 0; ;) {
      const agent = await client.agent(agentId, interrupted.signal).catch((error: unknown) => {
        interrupted.signal.throwIfAborted();
        if (error instanceof ApiError && error.isTemporary && ++failures <= maxFailures) return undefined;
        throw error;
      });
      if (agent) {
        failures = 0;
        silent = agent.cluster ? 0 : silent + 1;
        const { text, end } = stageOf(agent, { name, expiresAt, programName, isPatient: silent < patience });
        show(text);
        if (end !== undefined) return end;
      }
      await sleep(intervalMs, undefined, { signal: interrupted.signal });
    }
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    stderr.write(
      `\nStopped waiting. The token is valid until ${expiresAt}; ${programName} ctl agents shows the agent.\n`,
    );
    return 1;
  } finally {
    release();
  }
}

interface StageContext {
  name: string;
  expiresAt: string;
  programName: string;
  /** Whether the agent may still say how its cluster is. */
  isPatient: boolean;
}

/** Returns what to say about an agent, and the exit code if there is nothing more to wait for. */
function stageOf(
  agent: Agent,
  { name, expiresAt, programName, isPatient }: StageContext,
): { text: string; end?: number } {
  const { states = [], problem } = agent.enrolment ?? {};
  const why = problem === undefined ? '' : `; its last attempt was refused: ${oneLine(problem)}`;
  if (states.includes('pending')) {
    return { text: `${name} has enrolled, and waits until it is accepted: ${programName} ctl accept-agent ${name}` };
  }
  if (states.includes('invited')) return { text: `waiting for ${name}; the token is valid until ${expiresAt}${why}` };
  if (!states.includes('enrolled')) return { text: `the token of ${name} has ended${why}; enrol it again`, end: 1 };
  if (agent.connected === false) return { text: `${name} has enrolled, and is not connected${why}` };
  const { cluster } = agent;
  if (cluster?.reachable === false) {
    return {
      text: `${name} is connected, but does not reach its API server: ${oneLine(cluster.reason ?? 'unknown reason')}`,
    };
  }
  if (!cluster && isPatient) return { text: `${name} is connected` };
  return {
    text: `${name} is healthy${agent.version === undefined ? '' : ` (version ${oneLine(agent.version)})`}`,
    end: 0,
  };
}
