import { diffRelease as diff } from '../../operation/diff/diff-release.ts';
import { chartRequest } from './deploy-request.ts';
import { performance } from './performance.ts';

export const diffRelease = performance('diff_release', {
  request: chartRequest,
  operation: diff,
  answer: (answer) => answer,
});
