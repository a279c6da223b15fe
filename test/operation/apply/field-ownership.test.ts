import test from 'ava';
import { type ManagedFields, migratedEntries } from '../../../src/operation/apply/field-ownership.ts';

const entry = (manager: string, operation: string, fieldsV1: ManagedFields['fieldsV1'], rest: object = {}) => ({
  manager,
  operation,
  apiVersion: 'v1',
  ...(fieldsV1 && { fieldsV1 }),
  ...rest,
});
const other = entry('kubectl', 'Update', { 'f:data': {} });
const status = entry('helm', 'Update', { 'f:status': {} }, { subresource: 'status' });

test('migrates nothing if nothing was applied client-side', (t) => {
  t.is(migratedEntries([], 'helm'), undefined);
  t.is(migratedEntries([entry('helm', 'Apply', {}), other, status], 'helm'), undefined);
});

test('turns client-side fields into server-side ones', (t) => {
  const fields = { 'f:data': { 'f:a': {} } };
  t.deepEqual(migratedEntries([other, entry('helm', 'Update', fields), status], 'helm'), [
    entry('helm', 'Apply', fields),
    other,
    status,
  ]);
});

test('merges client-side and server-side fields', (t) => {
  const updated = entry('helm', 'Update', { 'f:data': { '.': {}, 'f:old': {}, 'f:both': {} }, 'f:spec': {} });
  const applied = entry('helm', 'Apply', { 'f:data': { 'f:both': {}, 'f:new': {} } });
  t.deepEqual(migratedEntries([updated, applied, other], 'helm'), [
    entry('helm', 'Apply', { 'f:data': { '.': {}, 'f:both': {}, 'f:new': {}, 'f:old': {} }, 'f:spec': {} }),
    other,
  ]);
});

test('drops fields of another API version, which may not exist in this one', (t) => {
  const updated = entry('helm', 'Update', { 'f:old': {} }, { apiVersion: 'v1beta1' });
  const applied = entry('helm', 'Apply', { 'f:new': {} });
  t.deepEqual(migratedEntries([updated, applied], 'helm'), [applied]);
});
