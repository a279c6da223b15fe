import test from 'ava';
import { expirePlans } from '../../../src/operation/plan/expire-plans.ts';

test('plans that have expired are deleted at once and each hour, also after a failure', async (t) => {
  const stopping = new AbortController();
  const problems: string[] = [];
  const pauses: number[] = [];
  let looks = 0;
  await expirePlans(
    {
      plans: {
        dropExpired() {
          looks += 1;
          return looks === 2 ? Promise.reject(new Error('no')) : Promise.resolve();
        },
      },
      pause(milliseconds, signal) {
        pauses.push(milliseconds);
        if (looks < 3) return Promise.resolve();
        stopping.abort();
        return Promise.reject(signal.reason as Error);
      },
      onProblem: (message) => void problems.push(message),
    },
    stopping.signal,
  );
  t.is(looks, 3);
  t.deepEqual(pauses, [3_600_000, 3_600_000, 3_600_000]);
  t.deepEqual(problems, ['cannot delete plans that have expired']);
});
