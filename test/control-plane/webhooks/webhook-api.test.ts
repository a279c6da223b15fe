import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { createMemoryStore } from '../../../src/control-plane/index.ts';
import type { CloudEvent } from '../../../src/control-plane/webhooks/deliver-webhook.ts';
import { eventually } from '../../support/eventually.ts';
import { testPlane } from '../support/plane.ts';
import { installed, rawAgent } from '../support/raw-agent.ts';

const install = { type: 'install_release', payload: { releaseName: 'web', chartName: 'c', repoPassword: 'hidden' } };

test('a receiver gets what happens to agents and commands, also what happened while it was away', async (t) => {
  const events: CloudEvent[] = [];
  let isAway = true;
  const receiver = createServer((request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((chunks: string[]) => {
        if (!isAway) events.push(JSON.parse(chunks.join('')) as CloudEvent);
        response.writeHead(isAway ? 503 : 200).end();
      });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.teardown(() => receiver.close());
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { url, agentUrl, plane, lines } = await testPlane(t, {
    webhookHosts: ['127.0.0.1'],
    store: createMemoryStore(),
  });
  const call = async (method: string, path: string, body?: object) => {
    const init = { method, headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${url}/api/webhooks${path}`, {
      ...init,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const names = ['command.started', 'command.ended', 'agent.connected', 'agent.disconnected'];
  const created = await call('POST', '', { url: hook, events: names });
  t.is(created.status, 201);
  const secret = String(created.body['secret']);
  const id = String(created.body['id']);
  const agent = await rawAgent(agentUrl);
  const command = plane.send('edge-1', { ...install, key: 'k' });
  await agent.packet('install_release');
  agent.send('accepted', { durable: false }, 'k');
  agent.send('result', installed, 'k');
  await command.result;
  await eventually('the receiver is known to fail', async () => {
    const { webhooks } = (await call('GET', '')).body as { webhooks: { state: string }[] };
    return webhooks[0]?.state === 'failing';
  });
  isAway = false;
  await eventually('the receiver has all events', () => events.length >= 3);
  const typesOf = () => events.map(({ type }) => type.replace('io.github.helm-agent.', '')).sort();
  t.deepEqual(typesOf(), ['agent.connected', 'command.ended', 'command.started']);
  t.like(
    events.find(({ type }) => type.endsWith('ended')),
    {
      subject: 'k',
      data: { key: 'k', agentId: 'edge-1', type: 'install_release', ok: true, releaseName: 'web' },
    },
  );
  t.deepEqual((await call('POST', `/${id}/test`)).body, { status: 200 });
  t.is((await call('DELETE', `/${id}`)).status, 200);
  t.deepEqual((await call('GET', '')).body, { webhooks: [] });
  const audit = await (await fetch(`${url}/api/audit`)).text();
  t.true(audit.includes(`"webhookId":"${id}"`));
  for (const text of [audit, lines.join('\n'), JSON.stringify(events)]) {
    t.false(text.includes(secret));
    t.false(text.includes('hidden'));
  }
});

const refuses = test.macro({
  async exec(t, body: object, message: RegExp) {
    const { url } = await testPlane(t);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/webhooks`, { method: 'POST', headers, body: JSON.stringify(body) });
    t.is(response.status, 400);
    t.regex(((await response.json()) as { detail: string }).detail, message);
  },
  title: (name) => `refuses ${name ?? ''}`,
});

const events = ['audit'];
test('a receiver on this machine', refuses, { url: 'https://127.0.0.1/', events }, /not public/);
test('a receiver without https', refuses, { url: 'http://example.com/', events }, /https/);
test('a URL that is too long', refuses, { url: `https://example.com/${'a'.repeat(2048)}`, events }, /url/);
test('a webhook without events', refuses, { url: 'https://example.com/', events: [] }, /events/);
test('an event that is not known', refuses, { url: 'https://example.com/', events: ['all'] }, /events/);
test(
  'a field that is not known',
  refuses,
  { url: 'https://example.com/', events, secret: 'x' },
  /fields that are not known/,
);
