import { text } from 'node:stream/consumers';
import test from 'ava';
import { causesOf } from '../../src/objects/cluster-error.ts';
import { configMap, configMapRef, failure, fakeServer, json } from './fake-server.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };

test('sends integers with all their digits', async (t) => {
  const bodies: Promise<string>[] = [];
  const { cluster } = await fakeServer(t, (request, response) => {
    bodies.push(text(request));
    json(response, 200, configMap('a', '1'));
  });
  const spec = { large: 9007199254740993n, small: -1n, half: 0.5, list: [9223372036854775807n] };
  await cluster.apply({ ...object, spec }, { fieldManager: 'helm' });
  const expected = '"spec":{"large":9007199254740993,"small":-1,"half":0.5,"list":[9223372036854775807]}';
  t.true((await bodies[0])?.includes(expected), await bodies[0]);
});

test('passes warnings of the server on, whether it accepts the object or not', async (t) => {
  let status = 200;
  const { cluster } = await fakeServer(t, (_, response) => {
    response.setHeader('warning', ['299 - "unknown field \\"spec.x\\""', '299 k8s "deprecated", 299 - "second"']);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? configMap('a', '1') : failure(status, 'Invalid', 'no')));
  });
  const warnings: string[] = [];
  const options = { fieldManager: 'helm', onWarning: (warning: string) => void warnings.push(warning) };
  await cluster.apply(object, options);
  status = 422;
  await t.throwsAsync(cluster.mergePatch(configMapRef, {}, options), { code: 'invalid' });
  const texts = ['unknown field "spec.x"', 'deprecated', 'second'];
  t.deepEqual(warnings, [...texts, ...texts]);
});

test('drops unknown fields with a warning on request', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 200, configMap('a', '1')));
  await cluster.strategicMergePatch(configMapRef, {}, { fieldManager: 'helm', fieldValidation: 'Warn' });
  t.deepEqual(requests, ['PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=helm&fieldValidation=Warn']);
});

test('an error has the fields that the server names, and the managers of conflicts', async (t) => {
  const causes = [
    { reason: 'FieldManagerConflict', message: 'conflict with "a \\"b\\"" using v1', field: '.data.x' },
    { reason: 'FieldValueInvalid', message: 'conflict with "c"', field: 'spec' },
    { message: 'text' },
  ];
  const { cluster } = await fakeServer(t, (_, response) =>
    json(response, 409, { ...(failure(409, 'Conflict', 'Apply failed') as object), details: { causes } }),
  );
  const error = await t.throwsAsync(cluster.apply(object, { fieldManager: 'helm' }), { code: 'conflict' });
  t.deepEqual(causesOf(error), [
    { ...causes[0], manager: 'a "b"' },
    { ...causes[1] },
    { reason: '', message: 'text', field: '' },
  ] as ReturnType<typeof causesOf>);
});

test('an admission webhook that cannot be called is an error of its own', async (t) => {
  const message = 'Internal error occurred: failed calling webhook "a.b.c": failed to call webhook: Post …: refused';
  const { cluster } = await fakeServer(t, (_, response) => json(response, 500, failure(500, 'InternalError', message)));
  await t.throwsAsync(cluster.create(object), { code: 'webhook_unavailable', message });
});

const quota = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'a' };

test('a conflict about a ResourceQuota is an error of its own when another object is written', async (t) => {
  const refused = { ...(failure(409, 'Conflict', 'x') as object), details: { name: 'q', kind: 'resourcequotas' } };
  const { cluster } = await fakeServer(t, (_, response) => json(response, 409, refused));
  await t.throwsAsync(cluster.mergePatch(quota, {}), { code: 'quota_conflict' });
});
