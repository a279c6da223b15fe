import type { CommandParameters, CommandResult } from '../../src/control-plane/index.ts';
import { eventually } from '../support/eventually.ts';
import type { UpgradedAgent } from './upgraded-agent.ts';

/** A fault of an upgrade: what it upgrades to, and what happens in between. */
export interface UpgradeFault {
  title: string;
  /** Whether the version works, so that it stays. */
  isGood: boolean;
  /** Whether it takes minutes, so that only the benchmark has it. Default: false. */
  isLong?: boolean;
  payload: (agent: UpgradedAgent, count: number) => CommandParameters['upgrade_agent'];
  /** Disturbs the upgrade. Default: nothing does. */
  disturb?: (agent: UpgradedAgent) => Promise<void>;
}

/** Preloads a module, which has the text as its code. */
function preloaded(code: string): CommandParameters['upgrade_agent'] {
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  return { values: JSON.stringify({ extraEnv: [{ name: 'NODE_OPTIONS', value: `--import=${url}` }] }) };
}

/** Ends the process some time after it has logged that it is connected. */
const crashAfterConnecting = `import fs from 'node:fs';
const write = fs.writeSync;
fs.writeSync = (...args) => {
  if (String(args[1]).includes('connected to the control plane')) setTimeout(() => process.exit(9), 3000);
  return write(...args);
};`;

const goodVersion: UpgradeFault['payload'] = (_agent, count) => ({
  values: JSON.stringify({ podAnnotations: { count: String(count) } }),
});

const unreachable: UpgradeFault['payload'] = () => ({
  values: JSON.stringify({ controlPlane: { url: 'ws://127.0.0.1:9' } }),
});

async function killGuardian(agent: UpgradedAgent): Promise<void> {
  await agent.kill(await agent.pods('upgrade-guardian'));
}

export const upgradeFaults: readonly UpgradeFault[] = [
  { title: 'none', isGood: true, payload: goodVersion },
  { title: 'an image that does not exist', isGood: false, payload: () => ({ imageTag: 'missing' }) },
  { title: 'a wrong image name', isGood: false, payload: () => ({ imageRepository: 'localhost/WRONG' }) },
  {
    title: 'wrong flags',
    isGood: false,
    payload: () => ({ values: JSON.stringify({ settings: { HELM_AGENT_JOURNAL: 'nowhere' } }) }),
  },
  { title: 'a crash at the start', isGood: false, payload: () => preloaded('process.exit(9)') },
  { title: 'crashes after it has connected', isGood: false, payload: () => preloaded(crashAfterConnecting) },
  {
    title: 'hangs at the start',
    isGood: false,
    isLong: true,
    payload: () => preloaded('setInterval(() => {}, 1000); await new Promise(() => {});'),
  },
  {
    title: 'no memory',
    isGood: false,
    payload: () => ({
      values: JSON.stringify({ resources: { requests: { memory: '16Mi' }, limits: { memory: '16Mi' } } }),
    }),
  },
  { title: 'a control plane that it cannot reach', isGood: false, payload: unreachable },
  {
    title: 'the guardian is killed while it watches',
    isGood: true,
    payload: goodVersion,
    async disturb(agent) {
      await agent.reaches('watching');
      await killGuardian(agent);
    },
  },
  {
    title: 'the old version is killed when the upgrade begins',
    isGood: true,
    payload: goodVersion,
    async disturb(agent) {
      const before = await agent.pods('agent');
      await agent.reaches('watching');
      await agent.kill(before);
    },
  },
  {
    title: 'the new version is killed once',
    isGood: true,
    payload: goodVersion,
    async disturb(agent) {
      const before = new Set((await agent.pods('agent')).map(({ metadata }) => metadata.name));
      await agent.reaches('watching');
      await eventually(
        'the new version leads',
        async () => {
          const pods = await agent.pods('agent');
          return pods.length > 0 && pods.every(({ metadata }) => !before.has(metadata.name));
        },
        60_000,
      );
      await agent.kill(await agent.pods('agent'));
    },
  },
  {
    title: 'the Job of the guardian is deleted',
    isGood: true,
    payload: goodVersion,
    async disturb(agent) {
      await agent.reaches('watching');
      await agent.deleteGuardian();
    },
  },
  {
    title: 'it cannot connect, and the guardian is killed while it watches and while it returns',
    isGood: false,
    payload: unreachable,
    async disturb(agent) {
      await agent.reaches('watching');
      await killGuardian(agent);
      await agent.reaches('settling');
      await killGuardian(agent);
    },
  },
];

/** The end of an upgrade with a fault. */
export interface Injected {
  result: CommandResult;
  /** Time from the command to its result, in seconds. */
  seconds: number;
  /** Longest time without a connection of the agent, in seconds. */
  outage: number;
  /** The result of the installation that ran at the same time. */
  other: CommandResult;
  /** Revisions of that release: more than one if it was performed twice. */
  revisions: number;
}

/** Upgrades an agent with a fault, while it installs a release that is ready after 45 s. */
export async function inject(
  agent: UpgradedAgent,
  { payload, disturb }: UpgradeFault,
  count: number,
): Promise<Injected> {
  const { plane, name } = agent;
  const releaseName = `slow-${count}`;
  const slow = await agent.slowInstall(releaseName, 45);
  const started = performance.now();
  const command = plane.upgradeAgent(name, payload(agent, count));
  let lost: number | undefined;
  let outage = 0;
  const following = (async () => {
    for await (const event of command) {
      if (event.type !== 'agent') continue;
      const now = performance.now();
      if (lost !== undefined) outage = Math.max(outage, now - lost);
      lost = event.payload.connected ? undefined : now;
    }
  })();
  const [result] = await Promise.all([command.result, disturb?.(agent), following]);
  const seconds = (performance.now() - started) / 1000;
  const other = await slow.result;
  const release = { releaseName, namespace: `${name}-releases` };
  const history = await plane.history(name, release).result;
  const revisions = history.ok && 'releases' in history ? history.releases.length : 0;
  await plane.uninstall(name, release).result; // a node has room for a limited number of pods
  return { result, seconds, outage: outage / 1000, other, revisions };
}
