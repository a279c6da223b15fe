/** State of an agent, for the probes of its pod. */
export interface AgentState {
  /** Whether the agent works; if not, it has to be restarted. */
  isAlive: () => boolean;
  /** Whether commands can arrive. */
  isReady: () => boolean;
}

/**
 * Returns the HTTP status of a probe: 200 or 503 for `/healthz` and `/readyz`, undefined for other
 * paths.
 */
export function probeStatus(path: string, { isAlive, isReady }: AgentState): 200 | 503 | undefined {
  if (path === '/healthz') return isAlive() ? 200 : 503;
  if (path === '/readyz') return isReady() ? 200 : 503;
  return undefined;
}

/** Body of a response with this status. */
export function probeText(status: number): string {
  return status === 200 ? 'ok\n' : 'not available\n';
}
