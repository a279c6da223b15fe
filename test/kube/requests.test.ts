import test from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { KubeError } from '../../src/kube/kube-error.ts';
import { InvalidNameError } from '../../src/objects/invalid-name-error.ts';
import fc from '../support/fast-check.ts';
import {
  configMap,
  configMapRef,
  endless,
  failure,
  fakeServer,
  fastTimes,
  json,
  kubeconfigOf,
  missing,
  type Respond,
} from './fake-server.ts';

async function errorOf(response: Promise<unknown>): Promise<KubeError | InvalidNameError> {
  try {
    await response;
  } catch (error) {
    if (error instanceof KubeError || error instanceof InvalidNameError) return error;
    throw error;
  }
  throw new Error('expected an error');
}

/** Responds in turn, and then with the last response only. */
function inTurn(...responses: Respond[]): Respond {
  let next = 0;
  return (request, response) => responses[Math.min(next++, responses.length - 1)]?.(request, response);
}

const works: Respond = (_, response) => json(response, 200, configMap('a', '1'));
const breaks: Respond = (_, response) => response.destroy();
const refuses =
  (status: number, headers: Record<string, string> = {}): Respond =>
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
  test(`${status} ${reason} becomes ${code} with the server's message`, async (t) => {
    const { cluster } = await fakeServer(t, (_, response) =>
      json(response, status, failure(status, reason, 'the reason')),
    );
    const error = await errorOf(cluster.get(configMapRef));
    t.like(error, { code, status, reason, message: 'the reason' });
  });
}

test('quotes an error response that is not a Status', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  t.is((await errorOf(cluster.get(configMapRef))).message, 'the API server responded with 502: <h1>Bad Gateway</h1>');
});

test('a response that is not JSON is a server error', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => response.end('hello'));
  t.is((await errorOf(cluster.get(configMapRef))).code, 'server_error');
});

test('stops reading a response of more than 64 MiB, and does not read it again', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => void endless(response));
  const message = 'the response to GET /api/v1/namespaces/team/configmaps/a has more than 67108864 bytes';
  t.like(await errorOf(cluster.get(configMapRef)), { code: 'server_error', message });
  t.is(requests.length, 1);
});

test('stops reading a list of which one object has more than 64 MiB', async (t) => {
  const { cluster, requests } = await fakeServer(t, (_, response) => void endless(response));
  t.like(await errorOf(cluster.list(configMapRef)), { code: 'server_error' });
  t.deepEqual(
    requests.map((request) => new URL(request.split(' ')[1] ?? '', 'http://x').searchParams.get('limit')),
    ['500', '50', '5', '1'],
  );
});

test('stops reading a refusal of more than 1 MiB', async (t) => {
  const sent: Promise<number>[] = [];
  const { cluster } = await fakeServer(t, (_, response) => {
    sent.push(endless(response.writeHead(403)));
  });
  t.like(await errorOf(cluster.get(configMapRef)), {
    code: 'forbidden',
    message: 'the API server responded with 403 and no message',
  });
  t.true(((await sent[0]) ?? Infinity) < 16 * 1024 * 1024); // the sockets have buffers, too
});

const retried: [title: string, first: Respond][] = [
  ['429', refuses(429)],
  ['429 with Retry-After', refuses(429, { 'retry-after': '0' })],
  ['503 with Retry-After', refuses(503, { 'retry-after': '0' })],
  ['500', refuses(500)],
  ['502', (_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>')],
  ['503', refuses(503)],
  ['504', refuses(504)],
  ['401, as while a token is replaced', refuses(401)],
  ['a broken connection', breaks],
  [
    'a response that breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"apiVersion"', () => response.destroy());
    },
  ],
  ['a response that is cut but looks complete', (_, response) => response.end('{"apiVersion"')],
];
for (const [title, first] of retried) {
  test(`retries a read after ${title}`, async (t) => {
    const { cluster, requests } = await fakeServer(t, inTurn(first, works));
    t.is((await cluster.get(configMapRef))?.metadata.name, 'a');
    t.is(requests.length, 2);
  });
}

test('retries an apply but not a creation when the connection breaks', async (t) => {
  const { cluster, requests } = await fakeServer(t, inTurn(breaks, breaks, works));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };
  t.is((await errorOf(cluster.create(object))).code, 'unreachable');
  t.is(requests.length, 1);
  t.is((await cluster.apply(object, { fieldManager: 'helm' })).metadata.name, 'a');
  t.is(requests.length, 3);
});

test('a server that cannot be reached is an error at once on request, until it has responded', async (t) => {
  const tuning = { ...fastTimes, retryDelays: [60_000], failsUnreached: true };
  const unreached = await fakeServer(t, works, tuning);
  unreached.stop();
  t.is((await errorOf(unreached.cluster.get(configMapRef))).code, 'unreachable');

  const reached = await fakeServer(t, works, tuning);
  await reached.cluster.get(configMapRef);
  reached.stop();
  await t.throwsAsync(
    reached.cluster.get(configMapRef, AbortSignal.timeout(200)),
    { name: 'TimeoutError' },
    'it waits',
  );
});

test('stops retrying at some point, and does not repeat a creation after a plain 500', async (t) => {
  const busy = await fakeServer(t, refuses(429));
  t.is((await errorOf(busy.cluster.get(configMapRef))).code, 'too_many_requests');
  t.is(busy.requests.length, 1 + fastTimes.retryDelays.length);
  const broken = await fakeServer(t, refuses(500));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };
  t.is((await errorOf(broken.cluster.create(object))).code, 'server_error');
  t.is(broken.requests.length, 1);
  const refused = await fakeServer(t, refuses(401), { ...fastTimes, retryDelays: [1, 1, 1, 1] });
  t.is((await errorOf(refused.cluster.create(object))).code, 'unauthorized');
  t.is(refused.requests.length, 3);
});

test('credentials that are rejected after other failures are read again, too', async (t) => {
  const tuning = { ...fastTimes, retryDelays: [1, 1, 1, 1] };
  const { cluster, requests } = await fakeServer(t, inTurn(refuses(500), refuses(500), refuses(401), works), tuning);
  t.is((await cluster.get(configMapRef))?.metadata.name, 'a');
  t.is(requests.length, 4);
});

test('an abort ends the pause before a retry with its reason', async (t) => {
  const { cluster } = await fakeServer(t, refuses(429, { 'retry-after': '30' }));
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('cancelled by the user')), 20);
  const error = await t.throwsAsync(cluster.get(configMapRef, stop.signal));
  t.is(error.message, 'cancelled by the user');
});

test('the error for an unreachable server has its address but no token', async (t) => {
  const cluster = connectCluster({ text: kubeconfigOf('https://127.0.0.1:1') }, fastTimes);
  t.teardown(() => cluster.close());
  const error = await errorOf(cluster.capabilities());
  t.is(error.code, 'unreachable');
  t.true(error.message.startsWith('cannot reach the API server at https://127.0.0.1:1: '));
  t.false(JSON.stringify([error.message, String(error.cause)]).includes('secret-token'));
});

test('sends requests over one connection, without the token if that is not encrypted', async (t) => {
  const tokens = new Set<string | undefined>();
  const { cluster, connections } = await fakeServer(t, (request, response) => {
    tokens.add(request.headers.authorization);
    works(request, response);
  });
  for (let count = 0; count < 10; count++) await cluster.get(configMapRef);
  t.deepEqual([...tokens], [undefined]);
  t.is(connections(), 1);
});

test('keeps the connection after a deletion', async (t) => {
  const { cluster, connections } = await fakeServer(t, (request, response) => {
    request.resume().on('end', () => json(response, 200, { kind: 'Status', status: 'Success' }));
  });
  await cluster.delete(configMapRef);
  const before = connections();
  for (let count = 0; count < 3; count++) await cluster.delete(configMapRef);
  t.is(connections(), before);
});

test('writes name the field manager and refuse unknown fields', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };
  await cluster.create(object, { fieldManager: 'helm', dryRun: true });
  await cluster.apply(object, { fieldManager: 'helm', force: true });
  t.deepEqual(requests, [
    'POST /api/v1/namespaces/team/configmaps?fieldManager=helm&dryRun=All&fieldValidation=Strict',
    'PATCH /api/v1/namespaces/team/configmaps/a?fieldManager=helm&fieldValidation=Strict&force=true',
  ]);
});

test('refuses a namespaced object without a namespace before it sends a request', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const error = await errorOf(cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }));
  t.like(error, { code: 'bad_request', message: 'an empty namespace may not be set during creation' });
  const unnamed = await errorOf(cluster.get({ ...configMapRef, name: '' }));
  t.like(unnamed, { code: 'invalid_name', message: 'resource name may not be empty' });
  t.deepEqual(requests, []);
});

const deletions: [title: string, uid: string | undefined, deleted: boolean | 'conflict'][] = [
  ['has another uid', 'other', false],
  ['no longer exists', undefined, false],
  ['has the uid', 'mine', 'conflict'],
];
for (const [title, uid, expected] of deletions) {
  test(`deleting by uid after a conflict: the object ${title}`, async (t) => {
    const { cluster, requests } = await fakeServer(t, ({ method }, response) => {
      if (method === 'DELETE') json(response, 409, failure(409, 'Conflict', 'any text'));
      else if (uid === undefined) json(response, 404, missing('a'));
      else json(response, 200, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', uid } });
    });
    const deleting = cluster.delete(configMapRef, { uid: 'mine' });
    if (expected === 'conflict') t.is((await errorOf(deleting)).code, 'conflict');
    else t.is(await deleting, expected);
    t.is(requests.length, 2);
  });
}

const unusable: [title: string, text: string][] = [
  ['text that is not a kubeconfig', 'just text'],
  ['a kubeconfig without a cluster', '{}'],
];
for (const [title, text] of unusable) {
  test(`refuses ${title}`, (t) => {
    const error = t.throws(() => connectCluster({ text }), { instanceOf: KubeError });
    t.is(error.code, 'bad_request');
    t.regex(error.message, /^the given kubeconfig /);
  });
}

test('sends nothing for a name that cannot be part of a path, with any verb', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const signal = AbortSignal.timeout(5000);
  for (const bad of ['.', '..', 'a/b', '../..', '%2e', '%2E%2e']) {
    for (const metadata of [
      { name: bad, namespace: 'team' },
      { name: 'a', namespace: bad },
    ]) {
      const ref = { apiVersion: 'v1', kind: 'ConfigMap', ...metadata };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      const calls = [
        cluster.get(ref),
        cluster.create(object),
        cluster.replace(object),
        cluster.apply(object, { fieldManager: 'helm' }),
        cluster.mergePatch(ref, {}),
        cluster.delete(ref),
        cluster.podLog({ ...metadata, container: 'main' }, { tailLines: 1 }),
      ];
      for (const call of calls) t.is((await errorOf(call)).code, 'invalid_name');
    }
    const query = { apiVersion: 'v1', kind: 'ConfigMap', namespace: bad };
    t.is((await errorOf(cluster.list(query))).code, 'invalid_name');
    t.is((await errorOf(cluster.observe(query, signal)[Symbol.asyncIterator]().next())).code, 'invalid_name');
  }
  t.deepEqual(requests, []);
});

test('requests exactly the object that a name and a namespace name', async (t) => {
  const { cluster, requests } = await fakeServer(t, works);
  const unit = fc.constantFrom('.', '/', '%', '2', 'e', '\\', '?', '#', '\n', ':', '@', ' ', 'é', 'a');
  const text = fc.string({ unit, minLength: 1 });
  await fc.assert(
    fc.asyncProperty(text, text, async (namespace, name) => {
      requests.length = 0;
      try {
        await cluster.delete({ ...configMapRef, namespace, name });
      } catch (error) {
        t.true(error instanceof InvalidNameError);
        t.deepEqual(requests, []);
        return;
      }
      const segments = (requests[0] ?? '').split('/').map(decodeURIComponent);
      t.deepEqual(segments, ['DELETE ', 'api', 'v1', 'namespaces', namespace, 'configmaps', name]);
    }),
  );
});

const quotaObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'team' } };

test('repeats a write that another change of a ResourceQuota has refused', async (t) => {
  const message = 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified';
  const refused = { ...(failure(409, 'Conflict', message) as object), details: { name: 'q', kind: 'resourcequotas' } };
  const { cluster, requests } = await fakeServer(
    t,
    inTurn((_, response) => json(response, 409, refused), works),
  );
  await cluster.create(quotaObject);
  t.is(requests.length, 2);
});

test('does not repeat other conflicts', async (t) => {
  const refused = { ...(failure(409, 'Conflict', 'x') as object), details: { name: 'a', kind: 'configmaps' } };
  const { cluster, requests } = await fakeServer(t, (_, response) => json(response, 409, refused));
  t.is((await errorOf(cluster.create(quotaObject))).code, 'conflict');
  t.is(requests.length, 1);
});
