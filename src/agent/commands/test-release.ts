import { resumeTest } from '../../operation/resume.ts';
import { testRelease as runTests } from '../../operation/test-release.ts';
import { performance, withoutUndefined } from './performance.ts';
import { publicRelease } from './release-answer.ts';

export const testRelease = performance('test_release', {
  request: withoutUndefined,
  operation: runTests,
  resume: resumeTest,
  answer: ({ release, failure, logs }) => ({
    release: publicRelease(release),
    passed: failure === undefined,
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
    ...(logs && { logs: [...logs] }),
  }),
});
