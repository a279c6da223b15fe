import { rollback } from '../../operation/rollback.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const rollbackRelease = performance('rollback_release', {
  request: withoutUndefined,
  operation: rollback,
  answer: (release) => ({ release: publicRelease(release) }),
});
