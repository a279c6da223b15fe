import { releaseHistory as readHistory } from '../../operation/query.ts';
import { performance, withoutUndefined } from './performance.ts';
import { releaseSummary } from './release-answer.ts';

export const releaseHistory = performance('release_history', {
  request: withoutUndefined,
  operation: readHistory,
  answer: (releases) => ({ releases: releases.map(releaseSummary) }),
});
