import { resumeRollback } from '../../operation/resume.ts';
import { rollback } from '../../operation/rollback.ts';
import { withoutHelmOptions } from './helm-options.ts';
import { performance, withoutUndefined } from './performance.ts';
import { withSettleOptions } from './settle-options.ts';
import { publicRelease } from './release-answer.ts';

export const rollbackRelease = performance('rollback_release', {
  request: (payload) => withoutUndefined(withSettleOptions(withoutHelmOptions(payload))),
  operation: rollback,
  resume: resumeRollback,
  answer: (release) => ({ release: publicRelease(release) }),
});
