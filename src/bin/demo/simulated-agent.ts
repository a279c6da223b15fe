import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, startAgent } from '../../agent/agent.ts';
import type { CommandHandlers } from '../../agent/commands/command-handler.ts';
import type { Logger } from '../../agent/logger.ts';
import type { Release } from '../../protocol/release.ts';
import { ReleaseError } from '../../release/error.ts';

/** The commands that a rollout sends. */
type SimulatedCommand = 'install_release' | 'release_history' | 'rollback_release' | 'uninstall_release';

export interface SimulatedAgentOptions {
  agentId: string;
  controlPlaneUrl: string;
  version: string;
  log: Logger;
  /** Returns numbers from 0 up to 1. */
  random: () => number;
  now: () => Date;
}

/** The longest time that a deployment takes, in milliseconds. */
const deployMs = 400;

/**
 * Starts an agent without a cluster: it keeps the revisions of one release, and each deployment
 * succeeds after a moment. It connects, and queues commands, as all agents do.
 */
export async function startSimulatedAgent(options: SimulatedAgentOptions): Promise<Agent> {
  return await startAgent({ ...options, instanceId: options.agentId, handlers: simulatedHandlers(options) });
}

function simulatedHandlers({
  random,
  now,
}: Pick<SimulatedAgentOptions, 'random' | 'now'>): Pick<CommandHandlers, SimulatedCommand> {
  const revisions: Release[] = [];
  const deploy = async (release: Pick<Release, 'name' | 'namespace'>, description: string, signal: AbortSignal) => {
    await sleep(deployMs * (0.25 + 0.75 * random()), undefined, { signal });
    for (const { info } of revisions) info.status = 'superseded';
    const info = { status: 'deployed', description, last_deployed: now().toISOString() };
    const revision = { ...release, version: revisions.length + 1, info };
    revisions.push(revision);
    return { release: revision };
  };
  return {
    release_history({ releaseName }) {
      if (revisions.length === 0) return Promise.reject(new ReleaseError('release_not_found', `no ${releaseName}`));
      return Promise.resolve({ releases: [...revisions] });
    },
    install_release: ({ releaseName: name, namespace }, { signal }) =>
      deploy({ name, namespace }, revisions.length === 0 ? 'Install complete' : 'Upgrade complete', signal),
    rollback_release: ({ releaseName: name, namespace, version = revisions.length - 1 }, { signal }) =>
      deploy({ name, namespace }, `Rollback to ${version}`, signal),
    uninstall_release() {
      revisions.length = 0;
      return Promise.resolve({});
    },
  };
}
