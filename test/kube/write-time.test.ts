import test from 'ava';
import { configMap, configMapRef, failure, fakeServer, fastTimes, json } from './fake-server.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'team', name: 'a' } };
const path = '/api/v1/namespaces/team/configmaps';

test('each write says how long it may take, and reads take what they need', async (t) => {
  let left = 5000.7;
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 200, configMap('a', '1')), {
    ...fastTimes,
    writeTimeLimit: () => left,
  });
  await cluster.get(configMapRef);
  await cluster.create(object);
  left = 1200;
  await cluster.replace(object);
  await cluster.apply(object, { fieldManager: 'helm' });
  await cluster.mergePatch(configMapRef, {});
  await cluster.strategicMergePatch(configMapRef, {});
  await cluster.delete(configMapRef);
  t.deepEqual(
    requests.map((request) => [request.split(' ')[0], /timeout=(\w+)/.exec(request)?.[1]]),
    [
      ['GET', undefined],
      ['POST', '5000ms'],
      ['PUT', '1200ms'],
      ['PATCH', '1200ms'],
      ['PATCH', '1200ms'],
      ['PATCH', '1200ms'],
      ['DELETE', '1200ms'],
    ],
  );
});

test('a write that is repeated has the time that is left then, and none is sent when there is none', async (t) => {
  const limits = [900, 400];
  const busy = failure(429, 'TooManyRequests', 'later');
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 429, busy), {
    ...fastTimes,
    writeTimeLimit() {
      const next = limits.shift();
      if (next === undefined) throw new Error('another process leads');
      return next;
    },
  });
  await t.throwsAsync(cluster.create(object), { message: 'another process leads' });
  const query = 'fieldValidation=Strict&timeout';
  t.deepEqual(requests, [`POST ${path}?${query}=900ms`, `POST ${path}?${query}=400ms`]);
});

test('a write that is not answered ends when its time is over', async (t) => {
  const { cluster, requests } = await fakeServer(t, () => undefined, { ...fastTimes, writeTimeLimit: () => 2000 });
  await t.throwsAsync(cluster.create(object), {
    code: 'unreachable',
    message: /^the API server at .* did not respond within 2\.0 s$/,
  });
  t.is(requests.length, 1, 'a creation is not repeated');
});
