import { operationOf } from '../command-operation.ts';
import { waitOptions } from '../resolve.ts';
import { resumeUninstall, uninstall, uninstallAnswer } from '../uninstall.ts';

export const operation = operationOf('delete_manifests', {
  request: ({ wait, ...options }) => ({ ...options, ...waitOptions(wait), manifestSet: true }),
  run: uninstall,
  resume: resumeUninstall,
  answer: uninstallAnswer,
});
