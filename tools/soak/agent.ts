// The agent of the soak test, in a process of its own. Reports its resources when it is asked to.
import { agentOf } from '../../src/compose/agent-of.ts';
import { processLogger } from '../../src/compose/logger.ts';
import type { SoakFigures, SoakSetup } from './figures.ts';

const setup = JSON.parse(process.argv[2] ?? '') as SoakSetup; // as soak.ts has written it
const agent = await agentOf({
  agentId: 'soak',
  cluster: { text: setup.kubeconfig },
  controlPlaneUrl: setup.controlPlane,
  localCharts: setup.charts,
  journal: 'cluster',
  election: { leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 5000 },
  memoryLimit: 512,
  log: processLogger('warn'),
});

process.on('message', (message) => {
  if (message === 'stop') {
    void agent.stop().then(() => process.disconnect());
    return;
  }
  globalThis.gc?.();
  const handles: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) handles[name] = (handles[name] ?? 0) + 1;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const { rss, heapUsed } = process.memoryUsage();
  const figures: SoakFigures = { rss, heapUsed, handles, listeners };
  process.send?.(figures);
});
process.send?.('ready');
