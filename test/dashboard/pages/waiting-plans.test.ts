import test from 'ava';
import {
  type EndedCommand,
  waitingAlone,
  waitingInRollouts,
  wholeId,
} from '../../../src/dashboard/pages/waiting-plans.ts';
import type { CommandAnswers } from '../../../src/protocol/commands/index.ts';

const digest = 'a'.repeat(64);
const now = Date.parse('2026-05-01T12:00:00Z');
const required = { ok: false as const, error: { code: 'approval_required', message: 'it requires an approval' } };

function commandOf(type: string, minute: number, releaseName = 'web') {
  const createdAt = `2026-05-01T11:${String(minute).padStart(2, '0')}:00Z`;
  return {
    ...{ key: `${type}-${minute}`, agentId: 'edge-1', type, state: 'done' as const, namespace: 'shop' },
    ...{ releaseName, createdAt },
  };
}

function made(minute: number, expires = '2026-05-02T12:00:00Z'): EndedCommand<'plan_release'> {
  const plan = { plan: `shop/web@${digest.slice(0, 12)}`, digest, expires } as CommandAnswers['plan_release'];
  return { command: commandOf('plan_release', minute), result: { ok: true, ...plan } };
}

function applied(minute: number, result: EndedCommand<'apply_plan'>['result'] = required): EndedCommand<'apply_plan'> {
  return { command: commandOf('apply_plan', minute), result };
}

test('a plan that was refused without approvals waits, with its whole digest', (t) => {
  t.deepEqual(waitingAlone([made(1)], [applied(2)], now), [
    {
      ...{ agentId: 'edge-1', plan: `shop/web@${digest}`, reason: 'it requires an approval' },
      since: '2026-05-01T11:02:00Z',
    },
  ]);
});

test('a plan that was performed after it was refused does not wait', (t) => {
  t.deepEqual(waitingAlone([made(1)], [applied(3, { ok: true }), applied(2)], now), []);
});

test('a plan that has expired, or was made after the refusal, does not wait', (t) => {
  t.deepEqual(waitingAlone([made(1, '2026-05-01T11:59:00Z')], [applied(2)], now), []);
  t.deepEqual(waitingAlone([made(3)], [applied(2)], now), []);
});

test('a plan that failed for another reason does not wait', (t) => {
  const stale = { ok: false as const, error: { code: 'plan_stale', message: 'it is stale' } };
  t.deepEqual(waitingAlone([made(1)], [applied(2, stale)], now), []);
});

test('clusters of rollouts wait that the policies of their owners hold for approvals', (t) => {
  const cluster = { wave: 1, stage: 'held' as const, attempt: 1, plan: `shop/web@${digest}` };
  const problems = [
    { ...cluster, agentId: 'edge-1', failure: required.error },
    { ...cluster, agentId: 'edge-2', failure: { code: 'denied_by_policy', message: 'it is paused' } },
  ];
  t.deepEqual(
    waitingInRollouts([{ id: 'web-2', problems }]).map(({ agentId, rolloutId }) => [agentId, rolloutId]),
    [['edge-1', 'web-2']],
  );
});

test('the whole id of a plan has all characters of its digest, whichever the agent has sent', (t) => {
  t.is(wholeId({ plan: 'shop/web@aaaaaaaaaaaa', digest }), `shop/web@${digest}`);
  t.is(wholeId({ plan: `shop/web@${digest}`, digest }), `shop/web@${digest}`);
});
