import { whenAborted } from '../async/index.ts';
import { messageOf } from '../errors/index.ts';
import type { Elector, Term } from '../leader-election/index.ts';
import type { AgentRecorder } from '../metrics/agent-metrics.ts';
import { areOk, type Health } from '../net/health.ts';
import { type MetricsText, startHealthServer } from '../net/health-server.ts';
import type { Agent } from './agent.ts';
import type { Logger } from './logger.ts';

export interface ElectedAgentOptions {
  elector: Elector;
  /** Starts the agent when this process leads. Rejects if its term ends before it has started. */
  start: (term: Term) => Promise<Agent>;
  /** As in `AgentOptions`. */
  healthPort?: number | undefined;
  /** As in `AgentOptions`. */
  metrics?: MetricsText | undefined;
  /** As in `AgentOptions`. */
  recorder?: AgentRecorder | undefined;
  /** Time by which an attempt to lead may be late before `/livez` responds with 503. */
  slackMs: number;
  log: Logger;
}

/**
 * Starts an agent that works only while this process leads. While another one does, it waits, and
 * is ready. Rejects if the port for the probes cannot be bound.
 */
export async function startElectedAgent(options: ElectedAgentOptions): Promise<Agent> {
  const { elector, start, healthPort, slackMs, log } = options;
  const stopping = new AbortController();
  let term: Term | undefined;
  let agent: Agent | undefined;
  const broken = new AbortController();
  const health: Health = {
    live: () => [
      { name: 'leader-election', isOk: !broken.signal.aborted && elector.isAlive(slackMs) },
      ...(agent?.health.live() ?? []),
    ],
    ready() {
      const detail = term === undefined ? 'waits to lead' : agent === undefined ? 'starts to lead' : 'leads';
      const isOk = term === undefined ? !broken.signal.aborted : agent !== undefined;
      return [{ name: 'leader-election', isOk, detail }, ...(agent?.health.ready() ?? [])];
    },
  };
  const { recorder, metrics } = options;
  const probes = healthPort === undefined ? undefined : await startHealthServer(healthPort, health, metrics);
  recorder?.set('helm_agent_leader', {}, 0);

  /** Leads until the term ends or the agent stops. Others lead only after it has ended. */
  async function lead(current: Term): Promise<void> {
    try {
      agent = await start(current);
      await whenAborted(AbortSignal.any([current.signal, stopping.signal]));
    } catch (error) {
      if (!current.signal.aborted) {
        broken.abort();
        const reason = messageOf(error);
        log.error({ reason }, 'cannot start the agent; this process has to be replaced');
      }
    }
    if (current.signal.aborted) log.warn({ reason: reasonOf(current) }, 'lost the lead; operations are parked');
    await agent?.stop();
    agent = undefined;
    recorder?.set('helm_agent_leader', {}, 0);
    await current.release();
  }

  const running = (async () => {
    const ended = AbortSignal.any([stopping.signal, broken.signal]);
    while (!ended.aborted) {
      log.info({}, 'waiting to lead');
      term = await elector.acquire(ended);
      if (term === undefined) return;
      log.info({}, 'this process leads');
      await lead(term);
      term = undefined;
    }
  })();

  return {
    port: undefined,
    healthPort: probes?.port,
    health,
    isReady: () => areOk(health.ready()),
    async stop() {
      stopping.abort();
      await running;
      probes?.close();
    },
  };
}

function reasonOf({ signal }: Term): string {
  return signal.reason instanceof Error ? signal.reason.message : '';
}
