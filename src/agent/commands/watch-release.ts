import { watchRelease as watch } from '../../operation/watch-release.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const watchRelease = performance('watch_release', {
  request: withoutUndefined,
  operation: watch,
  answer: ({ release, resources }) => ({ release: publicRelease(release), resources }),
});
