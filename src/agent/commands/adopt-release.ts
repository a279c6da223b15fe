import { adopt } from '../../operation/adopt.ts';
import { performance, withoutUndefined } from './performance.ts';
import { releaseSummary } from './release-answer.ts';

export const adoptRelease = performance('adopt_release', {
  request: ({ tillerNamespace, ...payload }, { tillerRecords }) => ({
    ...withoutUndefined(payload),
    tiller: tillerRecords(tillerNamespace),
  }),
  operation: adopt,
  answer: (releases) => ({ releases: releases.map(releaseSummary) }),
});
