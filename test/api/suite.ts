import test from 'ava';
import { atMost } from '../support/at-most.ts';
import { applying } from './applying.ts';
import { deleting } from './deleting.ts';
import type { Environment } from './environment.ts';
import { kinds } from './kinds.ts';
import { objects } from './objects.ts';
import { patching } from './patching.ts';
import { refusals } from './refusals.ts';
import { selecting } from './selecting.ts';
import { subresources } from './subresources.ts';
import { watching } from './watching.ts';
import { workloads } from './workloads.ts';

/**
 * Defines the tests for the behaviour of a Kubernetes API that this project relies on. They run
 * against the sandbox and against a real API server.
 */
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
  atMost(16, test);
  objects(open);
  refusals(open);
  selecting(open);
  deleting(open);
  subresources(open);
  kinds(open);
  watching(open);
  applying(open);
  patching(open);
  workloads(open);
}
