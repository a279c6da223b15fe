import { list } from '../../operation/list.ts';
import { performance, withoutUndefined } from './performance.ts';
import { releaseSummary } from './release-answer.ts';

export const listReleases = performance('list_releases', {
  request: ({ helm2, tillerNamespace, ...payload }, { tillerRecords }) => ({
    ...withoutUndefined(payload),
    ...(helm2 === true && { storage: tillerRecords(tillerNamespace) }),
  }),
  operation: list,
  answer: (releases) => ({ releases: releases.map(releaseSummary) }),
});
