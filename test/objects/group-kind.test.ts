import test from 'ava';
import { groupKind, groupOf, identityOf, versionOf } from '../../src/objects/group-kind.ts';

test('splits an apiVersion into group and version', (t) => {
  t.is(groupOf('apps/v1'), 'apps');
  t.is(versionOf('apps/v1'), 'v1');
  t.is(groupOf('v1'), '');
  t.is(versionOf('v1'), 'v1');
});

test('leaves the core group out of a group kind', (t) => {
  t.is(groupKind({ apiVersion: 'apps/v1', kind: 'Deployment' }), 'apps/Deployment');
  t.is(groupKind({ apiVersion: 'v1', kind: 'Pod' }), 'Pod');
});

test('gives one object one identity, whatever version of its group names it', (t) => {
  const before = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', namespace: 'prod', name: 'web' };
  t.is(identityOf(before), identityOf({ ...before, apiVersion: 'policy/v1' }));
  t.not(identityOf(before), identityOf({ ...before, apiVersion: 'other/v1' }));
  t.not(identityOf(before), identityOf({ ...before, namespace: 'test' }));
});
