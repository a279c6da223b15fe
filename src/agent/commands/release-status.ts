import { releaseStatus as readStatus } from '../../operation/release-status.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const releaseStatus = performance('release_status', {
  request: withoutUndefined,
  operation: readStatus,
  answer: ({ release, resources }) => ({ release: publicRelease(release), resources }),
});
