import { stringAt } from '../../objects/fields.ts';
import { type Condition, conditionsOf, withConditions } from '../cluster/conditions.ts';
import { timestamp } from '../sandbox-host.ts';
import { kubernetesVersion } from '../store/builtin-resources.ts';
import { type Controller, itself } from './controller.ts';
import { liveObject, writeStatus } from './workload.ts';

/** Name of the only node that has a kubelet. */
export const nodeName = 'sandbox';

/** Time between two reports of the kubelet, in milliseconds of the clock. */
const reportInterval = 300_000;

const size = { cpu: '8', memory: '16Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/** The part of the kubelet that reports its node: it is ready, and says so every five minutes. */
export const nodeController: Controller = {
  name: 'node',
  watches: { '/nodes': itself },
  reconcile(key, tools) {
    const node = key.name === nodeName ? liveObject(tools, '/nodes', key) : undefined;
    if (node === undefined) return;
    const before = conditionsOf(node);
    const ready = before.find(({ type }) => type === 'Ready');
    const reported = Date.parse(stringAt(ready, 'lastHeartbeatTime') ?? '');
    const left = reported + reportInterval - Number(tools.host.now() / 1_000_000n);
    if (left > 0) {
      tools.requeueAfter(left * tools.speed);
      return;
    }
    const lastHeartbeatTime = timestamp(tools.host);
    writeStatus(tools, node, {
      capacity: size,
      allocatable: size,
      conditions: withConditions(
        tools,
        before,
        ...conditions.map((condition) => ({ ...condition, lastHeartbeatTime })),
      ),
      addresses: [{ type: 'Hostname', address: nodeName }],
      nodeInfo: {
        kubeletVersion: kubernetesVersion,
        operatingSystem: 'linux',
        osImage: 'sandbox',
        architecture: 'amd64',
      },
    });
  },
};

const conditions: readonly Condition[] = [
  condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
];

function condition(type: string, status: 'True' | 'False', reason: string, message: string): Condition {
  return { type, status, reason, message };
}
