import { actionOperation, uidOf } from './action.ts';
import type { Change } from './action-state.ts';
import { releaseWorkloads } from './release-workloads.ts';
import { startPatch } from './stopped-workload.ts';

export const operation = actionOperation('start_release', async (context, request) => {
  const workloads = await releaseWorkloads(context, request);
  const changes = workloads.flatMap(({ ref, object }): Change[] => {
    const change = startPatch(object);
    return change === undefined ? [] : [{ type: 'patch', ref, uid: uidOf(object), ...change }];
  });
  return { objects: workloads.map(({ object }) => object), changes };
});
