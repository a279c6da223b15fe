// Upgrades agents on a real cluster with one fault after the other, and prints how many agents work
// afterwards, and after what time.
// Usage: KUBECONFIG=FILE HELM_BIN=DIR npm run bench:upgrades -- --image IMAGE --host ADDRESS
//          [--faults 26] [--agents 3]
// The image must be on the node, which is this machine; --host is its address as pods see it.
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import { kubeconfigText } from '../test/e2e/real-cluster.ts';
import { inject, type Injected, type UpgradeFault, upgradeFaults } from '../test/e2e/upgrade-faults.ts';
import { type UpgradedAgent, upgradedAgent } from '../test/e2e/upgraded-agent.ts';

const { values } = parseArgs({
  options: {
    image: { type: 'string' },
    host: { type: 'string' },
    faults: { type: 'string', default: '26' },
    agents: { type: 'string', default: '3' },
  },
});
const { image, host } = values;
if (image === undefined || host === undefined) throw new Error('name the image and the host: --image, --host');
const count = Number(values.faults);

/** Longest time from the command to its result, in seconds. */
const limit = 180;

const cluster = connectCluster({ text: kubeconfigText() });
const prefix = `upgrade-faults-${Date.now().toString(36)}`;
const seconds: number[] = [];
let next = 0;
let working = 0;

function isWell({ isGood }: UpgradeFault, { result, other, revisions, seconds: taken }: Injected): boolean {
  return result.ok === isGood && other.ok && revisions === 1 && taken <= limit;
}

async function work(agent: UpgradedAgent): Promise<void> {
  for (;;) {
    const number = next++;
    const fault = upgradeFaults[number % upgradeFaults.length];
    if (number >= count || fault === undefined) return;
    try {
      const injected = await inject(agent, fault, number);
      const isWorking = isWell(fault, injected);
      if (isWorking) working += 1;
      seconds.push(injected.seconds);
      const { result, outage } = injected;
      const detail = isWorking
        ? ''
        : ` ${JSON.stringify({ result, other: injected.other, revisions: injected.revisions })}`;
      const times = `${injected.seconds.toFixed(0)} s, not connected for ${outage.toFixed(0)} s`;
      const outcome = result.ok ? 'stays' : result.error.code;
      console.log(
        `${number + 1} ${isWorking ? 'works' : 'FAILED'} ${fault.title}: ${outcome}, ${times}${detail.slice(0, 1500)}`,
      );
    } catch (error) {
      console.log(`${number + 1} FAILED ${fault.title}: ${String(error)}`);
    }
  }
}

const names = Array.from({ length: Number(values.agents) }, (_, index) => `${prefix}-${index}`);
await Promise.all(
  names.map(async (name) => {
    const agent = await upgradedAgent({ cluster, name, host, image });
    try {
      await work(agent);
    } finally {
      await agent.close();
    }
  }),
);
seconds.sort((a, b) => a - b);
const at = (share: number) => (seconds[Math.floor(share * (seconds.length - 1))] ?? 0).toFixed(0);
console.log(`${working} of ${count} agents work; results after ${at(0.5)} s (median), ${at(1)} s (longest)`);
await cluster.close();
