import test from 'ava';
import { logFailedUpgrade } from '../../../src/cli/helm/release/deploy-failure.ts';
import { helmLog } from '../../../src/cli/helm-log.ts';
import { OperationError, withMessage } from '../../../src/operation/error.ts';

const reason = new OperationError('not_ready', 'the reason');

const logs = test.macro({
  title: (_, message: string) => `only the reason of "${message}" is logged`,
  exec(t, message: string) {
    const lines: string[] = [];
    const log = helmLog((line) => lines.push(line));
    logFailedUpgrade(withMessage(reason, message), 'web', { log });
    t.regex(lines.join(''), /^level=WARN msg="upgrade failed" name=web error="the reason"\n?$/);
  },
});

test(logs, 'release web failed, and has been rolled back due to rollback-on-failure being set: the reason');
test(
  logs,
  'unable to find a previously successful release when attempting to rollback. original upgrade error: the reason',
);
test(logs, 'an error occurred while rolling back the release. original upgrade error: the reason: another');
test(logs, 'an error occurred while cleaning up resources. original upgrade error: the reason: another');
