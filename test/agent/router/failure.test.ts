import test from 'ava';
import { failureOf } from '../../../src/agent/router/failure.ts';
import { OperationError, withPrefix } from '../../../src/operation/error.ts';
import { maxFields } from '../../../src/protocol/messages.ts';

const object = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const message = 'conflict with "kubectl" using apps/v1';

test('an error names the fields that the API server refused, and their managers', (t) => {
  const problem = { ...object, field: '.spec.replicas', manager: 'kubectl', message };
  const unnamed = { ...object, field: '', message: 'text' };
  const error = new OperationError('conflict', 'Apply failed', { problems: [problem, unnamed] });
  t.deepEqual(failureOf(withPrefix('upgrade failed', error)), {
    code: 'conflict',
    message: 'upgrade failed: Apply failed',
    fields: [{ ...object, field: '.spec.replicas', manager: 'kubectl' }],
  });
});

test('an error names a limited number of fields, and none with a name that is too long', (t) => {
  const long = { ...object, field: 'x'.repeat(2000), message };
  const problems = [long, ...Array.from({ length: maxFields + 1 }, (_, i) => ({ ...object, field: `f${i}`, message }))];
  const { fields = [] } = failureOf(new OperationError('apply_failed', 'invalid', { problems }));
  t.is(fields.length, maxFields);
  t.is(fields[0]?.field, 'f0');
});
