import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { testHost } from '../sandbox/host.ts';
import { corpusSuite } from './corpus-suite.ts';

corpusSuite('the sandbox', async () => {
  const sandbox = await startSandbox({ host: testHost, speed: 10 });
  return { kubeconfig: sandbox.kubeconfig, close: () => sandbox.close() };
});
