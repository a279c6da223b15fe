import test from 'ava';
import { redactedDrift } from '../../../src/operation/evidence/redacted-drift.ts';
import type { Redact } from '../../../src/operation/evidence/release-redaction.ts';

const drift = { change: 'changed', apiVersion: 'v1', kind: 'ConfigMap', name: 'a' } as const;
const redaction = (ofServer: Redact) => ({ ofServer, ofPods: ofServer });
const hiding = redaction((texts) => Promise.resolve(texts.map((text) => text.replaceAll('secret', '***'))));
const failing = redaction(() => Promise.reject(new Error('the secrets cannot be read')));

test('values and reasons are shown without secrets, at any depth', async (t) => {
  const fields = [
    { path: 'data', found: { a: ['a secret', 1] }, wanted: 'secret' },
    { path: 'x', found: 2 },
  ];
  t.deepEqual(await redactedDrift({ ...drift, fields, reason: 'no secret' }, hiding), {
    ...drift,
    fields: [
      { path: 'data', found: { a: ['a ***', 1] }, wanted: '***' },
      { path: 'x', found: 2 },
    ],
    reason: 'no ***',
  });
});

test('texts whose secrets are not known are left out, and numbers are shown', async (t) => {
  const texts = [{ path: 'data', found: 'secret', wanted: 1, manager: 'me' }];
  t.deepEqual(await redactedDrift({ ...drift, fields: texts, reason: 'secret' }, failing), {
    ...drift,
    fields: [{ path: 'data', manager: 'me' }],
    reason: 'values and reasons are not shown, because the secrets in them are not known',
  });
  const numbers = { ...drift, fields: [{ path: 'spec.replicas', found: 3, wanted: 1 }] };
  t.deepEqual(await redactedDrift(numbers, failing), numbers);
});
