import { resumeUpgrade } from '../../operation/resume.ts';
import { upgrade } from '../../operation/upgrade.ts';
import { deployRequest } from './deploy-request.ts';
import { performance } from './performance.ts';
import { deployAnswer } from './release-answer.ts';

export const upgradeRelease = performance('upgrade_release', {
  request: deployRequest,
  operation: upgrade,
  resume: resumeUpgrade,
  answer: deployAnswer,
});
