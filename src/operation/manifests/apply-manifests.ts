import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import { install, resumeInstall } from '../install.ts';
import { deployAnswer } from '../release-answer.ts';
import type { InstallRequest, RequestOf } from '../request.ts';
import { settleOptions, waitOptions } from '../resolve.ts';
import { manifestSetChart } from './manifest-set.ts';

type ApplyRequest = RequestOf<'apply_manifests'>;

/** Applies manifests as a release whose chart prints them: the first time, or instead of others. */
export const operation = operationOf('apply_manifests', {
  request: (payload: ApplyRequest): ApplyRequest => payload,
  run: (context, request) => install(context, installRequest(context, request)),
  resume: (context, state, request) => resumeInstall(context, state, installRequest(context, request)),
  answer: (deployed) => deployAnswer(deployed, {}),
});

function installRequest({ renderer }: OperationContext, request: ApplyRequest): InstallRequest {
  const { manifests, wait, settle, dryRun, ...options } = request;
  const owner = { name: request.releaseName, namespace: request.namespace };
  return {
    ...options,
    ...waitOptions(wait, options.atomic),
    ...settleOptions(settle),
    ...(dryRun === true && { dryRun, preview: 'dry-run' }),
    manifestSet: true,
    upgrade: true,
    crds: 'create',
    loadChart: (signal) => manifestSetChart(renderer, manifests, owner, signal),
  };
}
