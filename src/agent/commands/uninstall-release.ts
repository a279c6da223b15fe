import { uninstall } from '../../operation/uninstall.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const uninstallRelease = performance('uninstall_release', {
  request: withoutUndefined,
  operation: uninstall,
  answer: ({ release, info }) => ({ release: publicRelease(release), ...(info !== '' && { info }) }),
});
