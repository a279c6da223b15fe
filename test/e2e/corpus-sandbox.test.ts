import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { realHost } from '../support/host.ts';
import { corpusSuite } from './corpus-suite.ts';

corpusSuite('the sandbox', async () => {
  const sandbox = await startSandbox({ host: realHost, speed: 10 });
  return { kubeconfig: sandbox.kubeconfig, close: () => sandbox.close() };
});
