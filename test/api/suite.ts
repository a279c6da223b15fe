import test from 'ava';
import type { Environment } from './environment.ts';
import { applying } from './applying.ts';
import { objects } from './objects.ts';
import { refusals } from './refusals.ts';
import { watching } from './watching.ts';
import { workloads } from './workloads.ts';

/** What a Kubernetes API does, as far as this project relies on it. The same tests run against the sandbox and against a real API server. */
export function kubernetesApi(start: () => Promise<Environment>): void {
  let environment: Environment | undefined;
  const open = (): Environment => {
    if (!environment) throw new Error('the API server was not started');
    return environment;
  };
  test.before('start', async () => {
    environment = await start();
  });
  test.after.always('stop', async () => {
    await environment?.close();
  });
  objects(open);
  refusals(open);
  watching(open);
  applying(open);
  workloads(open);
}
