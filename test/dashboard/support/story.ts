import { commandTypes } from '../../../src/protocol/commands/index.ts';
import { rawAgent } from '../../control-plane/support/raw-agent.ts';
import type { DashboardWorld } from './world.ts';

/** The keys of commands that the story has sent. */
export interface Story {
  upgrade: string;
  failed: string;
  plan: string;
}

const agent = 'shop-berlin';
const release = { releaseName: 'web', namespace: 'shop' };
const chart = { ...release, chartName: 'web' };

/** Installs a release, upgrades it, lets an upgrade fail, and plans another one. */
export async function tellStory({ plane }: DashboardWorld): Promise<Story> {
  const values = { greeting: 'hello', database: { password: 'hunter2-secret' } };
  await plane.install(agent, { ...chart, values, wait: true }, { sentBy: 'shop-portal' }).result;
  const upgrade = plane.upgrade(
    agent,
    { ...chart, values: { ...values, replicas: 2 }, wait: true },
    { sentBy: 'shop-portal' },
  );
  await upgrade.result;
  const failing = { ...values, image: 'localhost/app:missing', migration: { enabled: false } };
  const failed = plane.upgrade(agent, { ...chart, values: failing, wait: true, atomic: true }, { sentBy: 'ci' });
  await failed.result;
  const plan = plane.plan(
    agent,
    { ...chart, action: 'upgrade', values: { ...values, replicas: 3 } },
    { sentBy: 'shop-portal' },
  );
  await plan.result;
  return { upgrade: upgrade.key, failed: failed.key, plan: plan.key };
}

/** Connects agents that only say hello. Returns a function that ends their connections. */
export async function connectMany(url: string, ids: readonly string[]): Promise<() => void> {
  const agents = await Promise.all(
    ids.map((agentId, index) =>
      rawAgent(url.replace('http:', 'ws:'), {
        agentId,
        instanceId: `instance-${index}`,
        version: index % 5 === 0 ? '1.2.2' : '1.2.3',
        capabilities: [...commandTypes],
      }),
    ),
  );
  return () => {
    for (const { socket } of agents) socket.terminate();
  };
}
