import { resumeUninstall } from '../../operation/resume.ts';
import { uninstall } from '../../operation/uninstall.ts';
import { withoutHelmOptions } from './helm-options.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const uninstallRelease = performance('uninstall_release', {
  request: (payload) => withoutUndefined(withoutHelmOptions(payload)),
  operation: uninstall,
  resume: resumeUninstall,
  answer: ({ release, info }) => ({
    ...(release && { release: publicRelease(release) }),
    ...(info !== '' && { info }),
  }),
});
