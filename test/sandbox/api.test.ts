import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { openEnvironment } from '../api/environment.ts';
import { kubernetesApi } from '../api/suite.ts';
import { realHost } from '../support/host.ts';

kubernetesApi(async () => {
  const sandbox = await startSandbox({ host: realHost, speed: 4 });
  return openEnvironment(sandbox.kubeconfig, () => sandbox.close());
});
