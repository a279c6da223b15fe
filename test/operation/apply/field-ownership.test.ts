import test from 'ava';
import { fieldsTakenOver, type ManagedFields } from '../../../src/operation/apply/field-ownership.ts';

const entry = (manager: string, operation: string, fieldsV1: ManagedFields['fieldsV1'], rest: object = {}) => ({
  manager,
  operation,
  apiVersion: 'v1',
  ...(fieldsV1 && { fieldsV1 }),
  ...rest,
});
const other = entry('kubectl', 'Update', { 'f:data': {} });
const status = entry('helm', 'Update', { 'f:status': {} }, { subresource: 'status' });

test('nothing is taken over where nothing was applied by the client', (t) => {
  t.is(fieldsTakenOver([], 'helm'), undefined);
  t.is(fieldsTakenOver([entry('helm', 'Apply', {}), other, status], 'helm'), undefined);
});

test('what was applied by the client alone becomes applied by the server', (t) => {
  const fields = { 'f:data': { 'f:a': {} } };
  t.deepEqual(fieldsTakenOver([other, entry('helm', 'Update', fields), status], 'helm'), [
    entry('helm', 'Apply', fields),
    other,
    status,
  ]);
});

test('fields of both are united', (t) => {
  const updated = entry('helm', 'Update', { 'f:data': { '.': {}, 'f:old': {}, 'f:both': {} }, 'f:spec': {} });
  const applied = entry('helm', 'Apply', { 'f:data': { 'f:both': {}, 'f:new': {} } });
  t.deepEqual(fieldsTakenOver([updated, applied, other], 'helm'), [
    entry('helm', 'Apply', { 'f:data': { '.': {}, 'f:both': {}, 'f:new': {}, 'f:old': {} }, 'f:spec': {} }),
    other,
  ]);
});

test('fields of another version of the API are given up, as their names may not exist in this one', (t) => {
  const updated = entry('helm', 'Update', { 'f:old': {} }, { apiVersion: 'v1beta1' });
  const applied = entry('helm', 'Apply', { 'f:new': {} });
  t.deepEqual(fieldsTakenOver([updated, applied], 'helm'), [applied]);
});
