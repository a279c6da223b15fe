import test from 'ava';
import { KubeError } from '../../src/kube/kube-error.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import {
  configMap,
  configMapRef,
  failure,
  fakeServer,
  fastTimes,
  json,
  kubeconfigOf,
  type Answer,
} from './fake-server.ts';

async function errorOf(answer: Promise<unknown>): Promise<KubeError> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

/** Answers in turn; the last one again and again. */
function inTurn(...answers: Answer[]): Answer {
  let next = 0;
  return (request, response) => answers[Math.min(next++, answers.length - 1)]?.(request, response);
}

const works: Answer = (_, response) => json(response, 200, configMap('a', '1'));
const breaks: Answer = (_, response) => response.destroy();
const refuses =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    json(response, status, failure(status, '', 'not now'), headers);

const statuses: [status: number, reason: string, code: string][] = [
  [400, 'BadRequest', 'bad_request'],
  [401, 'Unauthorized', 'unauthorized'],
  [403, 'Forbidden', 'forbidden'],
  [405, 'MethodNotAllowed', 'bad_request'],
  [409, 'AlreadyExists', 'already_exists'],
  [409, 'Conflict', 'conflict'],
  [410, 'Expired', 'gone'],
  [415, 'UnsupportedMediaType', 'bad_request'],
  [422, 'Invalid', 'invalid'],
  [429, 'TooManyRequests', 'too_many_requests'],
  [500, 'InternalError', 'server_error'],
  [503, 'ServiceUnavailable', 'server_error'],
];
for (const [status, reason, code] of statuses) {
  test(`a refusal with ${status} ${reason} is ${code}, with the server's sentence`, async (t) => {
    const { cluster } = await fakeServer(t, (_, response) =>
      json(response, status, failure(status, reason, 'its own words')),
    );
    const error = await errorOf(cluster.get(configMapRef));
    t.like(error, { code, status, reason, message: 'its own words' });
  });
}

test('a refusal that is no Status says what came instead', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  t.is((await errorOf(cluster.get(configMapRef))).message, 'the API server answered 502: <h1>Bad Gateway</h1>');
});

test('an answer that is no JSON is a server error', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => response.end('hello'));
  t.is((await errorOf(cluster.get(configMapRef))).code, 'server_error');
});

const retried: [title: string, first: Answer][] = [
  ['429', refuses(429)],
  ['429 with Retry-After', refuses(429, { 'retry-after': '0' })],
  ['503 with Retry-After', refuses(503, { 'retry-after': '0' })],
  ['a broken connection', breaks],
];
for (const [title, first] of retried) {
  test(`after ${title} a read is tried again`, async (t) => {
    const { cluster, requests } = await fakeServer(t, inTurn(first, works));
    t.is((await cluster.get(configMapRef))?.metadata.name, 'a');
    t.is(requests.length, 2);
  });
}

test('a creation is not sent twice when the connection breaks, an apply is', async (t) => {
  const { cluster, requests } = await fakeServer(t, inTurn(breaks, breaks, works));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };
  t.is((await errorOf(cluster.create(object))).code, 'unreachable');
  t.is(requests.length, 1);
  t.is((await cluster.apply(object, { fieldManager: 'helm' })).metadata.name, 'a');
  t.is(requests.length, 3);
});

test('retries end, and an ordinary 500 is not retried at all', async (t) => {
  const busy = await fakeServer(t, refuses(429));
  t.is((await errorOf(busy.cluster.get(configMapRef))).code, 'too_many_requests');
  t.is(busy.requests.length, 1 + fastTimes.retryDelays.length);
  const broken = await fakeServer(t, refuses(500));
  t.is((await errorOf(broken.cluster.get(configMapRef))).code, 'server_error');
  t.is(broken.requests.length, 1);
});

test('an abort ends the wait for a retry with its own reason', async (t) => {
  const { cluster } = await fakeServer(t, refuses(429, { 'retry-after': '30' }));
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('cancelled by the user')), 20);
  const error = await t.throwsAsync(cluster.get(configMapRef, stop.signal));
  t.is(error.message, 'cancelled by the user');
});

test('a server that is not there is unreachable, and its address is named but no token', async (t) => {
  const cluster = connectCluster({ text: kubeconfigOf('http://127.0.0.1:1') }, fastTimes);
  t.teardown(() => cluster.close());
  const error = await errorOf(cluster.capabilities());
  t.is(error.code, 'unreachable');
  t.true(error.message.startsWith('cannot reach the API server at http://127.0.0.1:1: '));
  t.false(JSON.stringify([error.message, String(error.cause)]).includes('secret-token'));
});

test('requests go over one kept connection and carry the token', async (t) => {
  const tokens = new Set<string | undefined>();
  const { cluster, connections } = await fakeServer(t, (request, response) => {
    tokens.add(request.headers.authorization);
    works(request, response);
  });
  for (let count = 0; count < 10; count++) await cluster.get(configMapRef);
  t.deepEqual([...tokens], ['Bearer secret-token']);
  t.true(connections() <= 2, 'discovery asks for two documents at once'); // two connections for those, one of which is used on
});

test('writes say who writes, and that unknown fields are refused', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };
  await cluster.create(object, { fieldManager: 'helm', dryRun: true });
  await cluster.apply(object, { fieldManager: 'helm', force: true });
  t.deepEqual(requests, [
    'POST /api/v1/namespaces/team/configmaps?fieldManager=helm&dryRun=All&fieldValidation=Strict',
    'PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=helm&fieldValidation=Strict&force=true',
  ]);
});

test('a namespaced object without a namespace is refused before anything is sent', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const error = await errorOf(cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  t.like(error, { code: 'bad_request', message: 'an empty namespace may not be set during creation' });
  const unnamed = await errorOf(cluster.get({ ...configMapRef, name: '' }));
  t.is(unnamed.message, 'resource name may not be empty');
  t.deepEqual(requests, []);
});

const unusable: [title: string, text: string][] = [
  ['no kubeconfig at all', 'just text'],
  ['a kubeconfig without a cluster', '{}'],
];
for (const [title, text] of unusable) {
  test(`${title} is refused with a sentence`, (t) => {
    const error = t.throws(() => connectCluster({ text }), { instanceOf: KubeError });
    t.is(error.code, 'bad_request');
    t.regex(error.message, /^the given kubeconfig /);
  });
}
