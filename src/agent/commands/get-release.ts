import { get } from '../../operation/query.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const getRelease = performance('get_release', {
  request: withoutUndefined,
  operation: get,
  answer: ({ release, ...stored }) => ({ release: publicRelease(release), ...stored }),
});
