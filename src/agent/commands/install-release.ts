import { resumeInstall } from '../../operation/resume.ts';
import { install } from '../../operation/install.ts';
import { deployRequest } from './deploy-request.ts';
import { performance } from './performance.ts';
import { deployAnswer } from './release-answer.ts';

export const installRelease = performance('install_release', {
  request: deployRequest,
  operation: install,
  resume: resumeInstall,
  answer: deployAnswer,
});
