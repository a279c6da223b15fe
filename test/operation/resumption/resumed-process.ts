import { readFileSync, writeFileSync } from 'node:fs';
import { connectCluster } from '../../../src/kube/cluster.ts';
import type { OperationState } from '../../../src/operation/state/operation-state.ts';
import { openStorage } from '../../../src/release/storage/kube-storage.ts';
import { realHost } from '../../support/host.ts';
import { textRenderer } from '../text-renderer.ts';
import { charts, requestOf, resume, type ScenarioName, scenarios, start } from './scenarios.ts';

// Runs the operation of a scenario from its start, or from the state in a file, and kills itself
// after a number of checkpoints.

const [kubeconfig = '', namespace = '', name = '', file = '', count = ''] = process.argv.slice(2);

const cluster = connectCluster({ text: readFileSync(kubeconfig, 'utf8') });
const onUnreadable = (error: Error) => {
  throw error;
};
const storage = openStorage('secret', { cluster, host: realHost, onUnreadable });
let saves = 0;
const context = {
  cluster,
  storage,
  renderer: textRenderer(charts),
  host: realHost,
  signal: new AbortController().signal,
  progress: () => undefined,
  checkpoints: {
    save(state: OperationState) {
      saves += 1;
      writeFileSync(file, JSON.stringify(state));
      if (saves === Number(count)) process.kill(process.pid, 'SIGKILL');
      return Promise.resolve();
    },
  },
};
const operation = requestOf(scenarios[name as ScenarioName].interrupted, namespace);
const text = readFileSync(file, 'utf8');
try {
  if (text === '') await start(context, operation);
  else await resume(context, JSON.parse(text) as OperationState, operation);
} catch {
  // some scenarios fail; the test compares what they leave
} finally {
  await cluster.close();
}
