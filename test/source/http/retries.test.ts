import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { Agent } from 'undici';
import { registryRetries, type RetryClock } from '../../../src/source/http/retries.ts';
import { requestFrom } from '../../../src/source/http/url-request.ts';
import { serve, type TestResponse } from '../test-repository.ts';

/** Sends requests to a server that responds in turn, and to further ones as to the last. */
async function open(t: ExecutionContext, ...responses: Exclude<TestResponse, string | Buffer>[]) {
  let count = 0;
  const bodies: string[] = [];
  const { url } = await serve(t, {
    '/': (request, response) => {
      const respond = responses[Math.min(count++, responses.length - 1)];
      void buffer(request).then((body) => {
        bodies.push(body.toString());
        respond?.(request, response);
      });
    },
  });
  const pauses: number[] = [];
  const wait = (call: () => void, milliseconds: number) => {
    pauses.push(milliseconds);
    setImmediate(call);
  };
  async function send(options: Parameters<typeof requestFrom>[1] = {}, clock: Partial<RetryClock> = { wait }) {
    const dispatcher = new Agent().compose(registryRetries({ random: () => 0.5, ...clock }));
    const { statusCode, body } = await requestFrom(new URL(url), { dispatcher, ...options });
    return { statusCode, text: await body.text() };
  }
  return { send, pauses, bodies };
}

const status =
  (code: number, headers: Record<string, string> = {}): Exclude<TestResponse, string | Buffer> =>
  (_, response) =>
    response.writeHead(code, headers).end(`status ${code}`);
const whole = status(200);

for (const code of [408, 429, 500, 502, 503, 504, 599]) {
  test(`a request that a registry refuses with ${code} is repeated`, async (t) => {
    const { send, pauses } = await open(t, status(code), status(code), whole);
    t.deepEqual(await send(), { statusCode: 200, text: 'status 200' });
    t.deepEqual(pauses, [250, 500]);
  });
}

for (const code of [400, 401, 403, 404, 501]) {
  test(`a request that a registry refuses with ${code} is not repeated`, async (t) => {
    const { send, pauses } = await open(t, status(code), whole);
    t.deepEqual(await send(), { statusCode: code, text: `status ${code}` });
    t.deepEqual(pauses, []);
  });
}

test('the refusal after five repetitions is the result', async (t) => {
  const { send, pauses } = await open(t, status(503));
  t.deepEqual(await send(), { statusCode: 503, text: 'status 503' });
  t.deepEqual(pauses, [250, 500, 1000, 2000, 3000]);
});

for (const method of ['POST', 'PUT'] as const) {
  test(`the body of a ${method} is sent again as a whole`, async (t) => {
    const { send, bodies } = await open(t, status(503), whole);
    t.is((await send({ method, body: Buffer.from('archive') })).statusCode, 200);
    t.deepEqual(bodies, ['archive', 'archive']);
  });
}

test('a request whose connection breaks off is repeated', async (t) => {
  const { send, bodies } = await open(t, (_, response) => response.destroy(), whole);
  t.is((await send({ method: 'PUT', body: 'archive' })).statusCode, 200);
  t.deepEqual(bodies, ['archive', 'archive']);
});

test('a registry that always breaks connections is an error after five repetitions', async (t) => {
  const { send, pauses } = await open(t, (_, response) => response.destroy());
  await t.throwsAsync(send());
  t.is(pauses.length, 5);
});

const waits = test.macro<[code: number, retryAfter: string, milliseconds: number]>({
  title: (_, code, retryAfter) => `the pause after ${code} with Retry-After: ${retryAfter.slice(0, 40)}`,
  async exec(t, code, retryAfter, milliseconds) {
    const { send, pauses } = await open(t, status(code, { 'retry-after': retryAfter }), whole);
    t.is((await send()).statusCode, 200);
    t.deepEqual(pauses, [milliseconds]);
  },
});
test(waits, 429, '1', 1000);
test(waits, 429, '31536000', 3000);
test(waits, 429, '9'.repeat(1000), 3000);
test(waits, 429, '0', 250);
test(waits, 429, '-5', 250);
test(waits, 429, 'Fri, 31 Dec 9999 23:59:59 GMT', 250);
test(waits, 429, '1e9', 250);
test(waits, 503, '60', 250);

test('the pauses differ by a tenth at most', async (t) => {
  for (const [random, pause] of [
    [0, 225],
    [1, 275],
  ] as const) {
    const { send, pauses } = await open(t, status(503), whole);
    const wait = (call: () => void, milliseconds: number) => {
      pauses.push(Math.round(milliseconds));
      setImmediate(call);
    };
    await send({}, { random: () => random, wait });
    t.deepEqual(pauses, [pause]);
  }
});

test('a pause ends when the command is cancelled', async (t) => {
  const { send, bodies } = await open(t, status(503), whole);
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const wait = (call: () => void, milliseconds: number) => {
    setImmediate(() => controller.abort(reason));
    return setTimeout(call, milliseconds * 1000);
  };
  t.is(await t.throwsAsync(send({ signal: controller.signal }, { wait })), reason);
  t.is(bodies.length, 1);
});

test('a refusal without an end is an error', async (t) => {
  const { send } = await open(t, (_, response) => {
    response.writeHead(503);
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  });
  await t.throwsAsync(send(), { message: 'a refusal is larger than the limit of 1048576 bytes' });
});

test('a large body of a response is whole', async (t) => {
  const { send } = await open(t, (_, response) => response.end('x'.repeat(3 * 1024 * 1024)));
  t.is((await send()).text.length, 3 * 1024 * 1024);
});
