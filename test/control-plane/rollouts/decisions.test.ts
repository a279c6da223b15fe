import test from 'ava';
import {
  approveWave,
  pauseRollout,
  resumeRollout,
  retryRollout,
  settleCheck,
} from '../../../src/control-plane/rollouts/decisions.ts';
import type { Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import { settle } from '../../../src/control-plane/rollouts/settle.ts';
import { activeOf, apply, type Fleet, fleetOf, rolloutOf, settled, stagesOf, step } from './support/fleet.ts';

test('a rollout that has failed without a failed cluster continues with its wave when it is tried again', (t) => {
  const fleet = fleetOf(2);
  const start = rolloutOf(fleet, { type: 'upgrade_agent', payload: {}, check: 'hook', waves: [{ size: 1 }, {}] });
  let rollout = step(start, fleet, 0);
  for (const agentId of activeOf(rollout)) rollout = apply(rollout, settle(rollout, agentId, { ok: true }, 0));
  rollout = settled(rollout, fleet);
  rollout = settled(apply(rollout, settleCheck(rollout, false)), fleet);
  t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['failed', { updated: 1, pending: 1 }]);
  rollout = settled(apply(rollout, retryRollout(rollout, 1)), fleet, 1);
  t.like(rollout.status, { phase: 'running', wave: 0, waveStage: 'checking' });
  t.deepEqual(stagesOf(rollout), { updated: 1, pending: 1 }, 'the check is asked again');
});

test('a paused rollout without a cluster to try again says what continues it', (t) => {
  const fleet = fleetOf(2);
  const running = step(rolloutOf(fleet, { waves: [{}] }), fleet, 0);
  const paused = apply(running, pauseRollout(running, 'kim'));
  t.throws(() => retryRollout(paused, 1), { code: 'rollout_conflict', message: /no cluster .*; resume the rollout/ });
});

/** Returns a rollout after a wave in which one of two clusters has failed. */
function afterFailure(options: object): [Fleet, Rollout] {
  const fleet = fleetOf(4);
  const [first] = fleet.values();
  if (first) first.outcome = 'not_ready';
  return [fleet, settled(rolloutOf(fleet, { waves: [{ size: 2 }, {}], onFailure: 'pause', ...options }), fleet)];
}

for (const [limit, options] of [
  ['the wave', {}],
  ['all waves', { maxFailures: 1, maxTotalFailures: 0 }],
] as const) {
  test(`after more failures than ${limit} may have, the next wave is approved once the rollout is resumed`, (t) => {
    const [fleet, paused] = afterFailure(options);
    t.is(paused.status.reason, 'too many clusters of wave 1 have failed');
    t.throws(() => approveWave(paused, 1, 1), {
      code: 'rollout_conflict',
      message: 'too many clusters of wave 1 have failed; resume the rollout, or retry them',
    });
    const resumed = apply(paused, resumeRollout(paused, 1));
    const approved = settled(apply(resumed, approveWave(resumed, 1, 1)), fleet, 1);
    t.deepEqual([approved.status.phase, stagesOf(approved)], ['succeeded', { failed: 1, updated: 3 }]);
  });
}

test('a wave is approved after one whose failures are allowed', (t) => {
  const [fleet, soaking] = afterFailure({ maxFailures: 1, soak: '1h' });
  for (const rollout of [soaking, apply(soaking, pauseRollout(soaking, 'kim'))]) {
    const approved = settled(apply(rollout, approveWave(rollout, 1, 1)), fleet, 1);
    t.deepEqual(stagesOf(approved), { failed: 1, updated: 3 });
  }
});
