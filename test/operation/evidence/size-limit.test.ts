import test from 'ava';
import type { Evidence } from '../../../src/operation/evidence/evidence.ts';
import { limitedEvidence } from '../../../src/operation/evidence/size-limit.ts';

function evidence(resources: number, log: string, message = ''): Evidence {
  const container = { name: 'app', image: 'app:1', state: 'running', restarts: 0, log, previousLog: log };
  const event = { type: 'Warning', reason: 'BackOff', message, count: 1, object: 'Pod/web' };
  return {
    resources: Array.from({ length: resources }, (_, index) => ({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', name: `web-${index}`, status: 'InProgress' as const },
      ...{ conditions: [], events: [event], pods: [{ name: 'web', phase: 'Running', containers: [container] }] },
    })),
  };
}

const bytes = (value: Evidence) => Buffer.byteLength(JSON.stringify(value));

test('keeps small evidence', (t) => {
  t.deepEqual(limitedEvidence(evidence(2, 'boom')), evidence(2, 'boom'));
});

test('keeps the ends of long logs, within 256 KiB', (t) => {
  const limited = limitedEvidence(evidence(20, `${'é\n'.repeat(30_000)}the end`));
  t.true(bytes(limited) <= 256 * 1024);
  t.is(limited.resources.length, 20);
  t.true(limited.resources[0]?.pods[0]?.containers[0]?.log?.endsWith('the end'));
});

test('leaves out resources if even short logs do not fit', (t) => {
  const limited = limitedEvidence(evidence(20, 'x', 'm'.repeat(30_000)));
  t.true(bytes(limited) <= 256 * 1024);
  t.true(limited.resources.length > 0 && limited.resources.length < 20);
});
