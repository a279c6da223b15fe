import { install } from '../../operation/install.ts';
import { deployRequest } from './deploy-request.ts';
import { performance } from './performance.ts';
import { publicRelease, withoutNotes } from './release-answer.ts';

export const installRelease = performance('install_release', {
  request: deployRequest,
  operation: install,
  answer: (release, { hideNotes }) => ({
    release: publicRelease(hideNotes === true ? withoutNotes(release) : release),
  }),
});
