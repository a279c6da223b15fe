import test, { type ExecutionContext } from 'ava';
import type { Right } from '../../../src/protocol/commands/definition.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';
import { subprotocol } from '../../../src/protocol/subprotocol.ts';
import { dialAgent } from '../../bin/support/client.ts';
import { testAgent } from '../support/agent.ts';

const message = (type: string, right: Right = 'deploy') =>
  `the agent does not accept ${type}, which needs the right "${right}"; its owner allows read, and can add rights with --allow-rights`;

async function agentWith(t: ExecutionContext, allowedRights: readonly Right[]) {
  const { agent, puppets } = await testAgent(t, { listen: { host: '127.0.0.1', port: 0 }, allowedRights });
  return { puppets, connect: (...protocols: string[]) => dialAgent(t, agent.port, protocols) };
}

test('an agent that allows only read refuses each command that changes something, whatever its payload', async (t) => {
  const { puppets, connect } = await agentWith(t, ['read']);
  const client = await connect(subprotocol);
  const changing = Object.entries(commandTable.definitions).filter(
    ([type, { right }]) => right !== 'read' && type !== 'cancel_command',
  );
  t.true(changing.length >= 6);
  for (const [type, { right }] of changing) {
    // a dry run and a payload that is not valid are refused with the same words
    for (const [index, payload] of ['{"releaseName":"web","dryRun":true}', '{', 'x'.repeat(100_000)].entries()) {
      const key = `${type}-${index}`;
      client.send({ key, type, payload });
      const { payload: result = '' } = await client.packet((packet) => packet.key === key);
      t.deepEqual(JSON.parse(result), { ok: false, error: { code: 'forbidden', message: message(type, right) } });
    }
  }
  t.deepEqual(puppets.calls, []);
});

test('a client of the Go agent gets the text of the error at /exe-cmd', async (t) => {
  const { puppets, connect } = await agentWith(t, ['read']);
  const client = await connect();
  client.send({ key: 'a', type: 'uninstall_release', payload: '{"releaseName":"web"}' });
  t.is((await client.packet(({ key }) => key === 'a')).payload, message('uninstall_release'));
  client.send({ type: 'uninstall_release', payload: '{"releaseName":"web"}' });
  t.is((await client.packet(({ key }) => key === undefined)).payload, message('uninstall_release'));
  t.deepEqual(puppets.calls, []);
});

test('types that are not exactly those of commands do not get around the rights', async (t) => {
  const { puppets, connect } = await agentWith(t, ['read']);
  const client = await connect(subprotocol);
  const types = ['Uninstall_release', 'uninstall_release ', '__proto__', 'constructor', 'toString', ''];
  for (const [index, type] of types.entries()) {
    client.send({ key: `k${index}`, type, payload: '{"releaseName":"web"}' });
    const { payload = '' } = await client.packet(({ key }) => key === `k${index}`);
    t.regex(payload, /"code":"(?:unknown_command|bad_packet)"/, type);
  }
  t.deepEqual(puppets.calls, []);
});

test('commands with an allowed right are performed, and may be cancelled', async (t) => {
  const { puppets, connect } = await agentWith(t, ['read']);
  const client = await connect(subprotocol);
  client.send({ key: 'w', type: 'watch_release', payload: '{"releaseName":"web"}' });
  const watch = await puppets.call(0);
  client.send({ key: 'c', type: 'cancel_command', payload: '{"key":"w"}' });
  (await puppets.call(1)).succeed({ cancelled: true });
  t.regex((await client.packet(({ key, type }) => key === 'c' && type === 'result')).payload ?? '', /"ok":true/);
  watch.succeed({ resources: [] });
});

test('the right to deploy does not include the right to read', async (t) => {
  const { connect } = await agentWith(t, ['deploy']);
  const client = await connect(subprotocol);
  client.send({ key: 'a', type: 'get_release', payload: '{"releaseName":"web"}' });
  t.regex(
    (await client.packet(({ key }) => key === 'a')).payload ?? '',
    /needs the right \\"read\\"; its owner allows deploy,/,
  );
});
