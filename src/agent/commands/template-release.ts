import { template } from '../../operation/template.ts';
import { chartRequest } from './deploy-request.ts';
import { performance } from './performance.ts';

export const templateRelease = performance('template_release', {
  request: chartRequest,
  operation: template,
  answer: ({ manifest, notes }) => ({ manifest, ...(notes !== '' && { notes }) }),
});
