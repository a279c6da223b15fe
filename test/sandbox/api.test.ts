import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openEnvironment } from '../api/environment.ts';
import { kubernetesApi } from '../api/suite.ts';
import { testHost } from './host.ts';

kubernetesApi(async () => {
  const sandbox = await startSandbox({ host: testHost, speed: 4 });
  return openEnvironment(sandbox.kubeconfig, () => sandbox.close());
});
