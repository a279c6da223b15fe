import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agent } from '../agent/agent.ts';
import { startElectedAgent } from '../agent/elected-agent.ts';
import type { Logger } from '../agent/logger.ts';
import { messageOf } from '../errors/index.ts';
import type { ProxyEnvironment } from '../go/http-proxy.ts';
import { connectCluster, type ConnectionSource } from '../kube/index.ts';
import {
  type ElectionClock,
  type ElectionTimes,
  LeaseElector,
  LeaseLostError,
  type Term,
} from '../leader-election/index.ts';
import { type AgentRecorder, requestCounter } from '../metrics/agent-metrics.ts';
import type { MetricsText } from '../net/health-server.ts';

export interface LeadershipOptions {
  agentId: string;
  cluster: ConnectionSource;
  /** Names the proxy to the API server. Default: none. */
  proxyEnv?: ProxyEnvironment | undefined;
  times: ElectionTimes;
  healthPort?: number | undefined;
  metrics?: MetricsText | undefined;
  recorder: AgentRecorder;
  log: Logger;
}

/** Time by which an attempt to lead may be late before the process counts as stuck. */
const slackMs = 30_000;

const clock: ElectionClock = {
  monotonic: () => performance.now(),
  now: () => new Date(),
  sleep: async (milliseconds, signal) => await sleep(milliseconds, true, { signal }).catch(() => false),
  random: Math.random,
};

/** The election of one process among those with an agent id. */
export interface Leadership {
  /**
   * Returns the milliseconds that a write may take. Throws `LeaseLostError` unless this process
   * leads.
   */
  timeLeft: () => number;
  /** Starts an agent that works while this process leads. */
  startAgent(start: (term: AbortSignal) => Promise<Agent>): Promise<Agent>;
  close(): Promise<void>;
}

/** Returns the name of the Lease of an agent id. */
export function leaseName(agentId: string): string {
  return `helm-agent.${createHash('sha256').update(agentId).digest('hex').slice(0, 40)}`;
}

/**
 * Returns the election by the Lease of an agent id in the namespace of the agent. It has a
 * connection of its own, so that renewals do not wait behind other requests.
 */
export function leadership(options: LeadershipOptions): Leadership {
  const { agentId, cluster: source, proxyEnv, times, healthPort, metrics, recorder, log } = options;
  const cluster = connectCluster(source, { proxyEnv, onAttempt: requestCounter(recorder) });
  const identity = `${hostname()}_${randomUUID()}`;
  const name = leaseName(agentId);
  let term: Term | undefined;
  const elector = new LeaseElector({
    cluster,
    ref: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: cluster.namespace, name },
    labels: { 'app.kubernetes.io/managed-by': 'helm-agent' },
    identity,
    times,
    clock,
    onProblem(error) {
      const reason = messageOf(error);
      log.warn({ reason, lease: name, namespace: cluster.namespace }, 'cannot read or write the Lease');
    },
  });
  return {
    timeLeft() {
      if (term === undefined) throw new LeaseLostError('it does not lead yet');
      return term.timeLeft();
    },
    startAgent: (start) =>
      startElectedAgent({
        ...{ elector, healthPort, metrics, recorder, slackMs, log },
        start(current) {
          term = current;
          return start(current.signal);
        },
      }),
    close: () => cluster.close(),
  };
}
