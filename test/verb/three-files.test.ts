import test, { type ExecutionContext } from 'ava';
import type { CommandDependencies, Identity } from '../../src/agent/commands/index.ts';
import { createCommandHandlers } from '../../src/agent/commands/index.ts';
import { readCommand } from '../../src/agent/router/incoming-command.ts';
import { verbEntry, verbs } from '../../src/cli/verb/index.ts';
import { clusterReleases } from '../../src/compose/cluster-releases.ts';
import { controlPlaneFor } from '../../src/control-plane/control-plane-for.ts';
import { operations } from '../../src/operation/index.ts';
import { rights } from '../../src/protocol/commands/definition.ts';
import { commands } from '../../src/protocol/commands/index.ts';
import { createCommandTable } from '../../src/protocol/commands/table.ts';
import { subprotocol } from '../../src/protocol/subprotocol.ts';
import { packetSchema } from '../../tools/packet-schema.ts';
import { commandRows, renewTables } from '../../tools/protocol-tables.ts';
import { testAgent } from '../agent/support/agent.ts';
import { dialAgent } from '../bin/support/client.ts';
import { testProgram } from '../cli/support/program.ts';
import { paintRelease } from './toy/paint-release.ts';

// a verb is its three files in toy/, and a line in each of these three lists
const table = createCommandTable({ ...commands, paint_release: paintRelease });
const loaders = { ...operations, paint_release: () => import('./toy/paint-operation.ts') };
const allVerbs = [
  ...verbs,
  verbEntry({ name: 'paint', short: 'paint a release' }, async () => (await import('./toy/paint-verb.ts')).paint),
];

const kubeconfig = JSON.stringify({
  clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'a', user: {} }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  'current-context': 'a',
});

/** A control plane, an agent and a program that know the verb. */
async function world(t: ExecutionContext) {
  const Plane = controlPlaneFor(table);
  const plane = new Plane();
  const address = `127.0.0.1:${await plane.listen(0)}`;
  t.teardown(() => plane.close());
  const runAs = <Result>(_account: unknown, work: (identity: Identity) => Promise<Result>) => work({} as Identity);
  const dependencies = { shared: {}, source: {}, runAs } as CommandDependencies; // the operation needs none
  const { agent } = await testAgent(t, {
    table,
    handlers: createCommandHandlers(dependencies, loaders),
    controlPlaneUrl: `ws://${address}`,
    listen: { host: '127.0.0.1', port: 0 },
  });
  await plane.waitForAgent('edge-1');
  const run = async (...args: string[]) => {
    const env = { HELM_AGENT_SERVER: `http://${address}`, HELM_AGENT_AGENT: 'edge-1', KUBECONFIG: '/dev/null' };
    const program = testProgram({ env, table, verbs: allVerbs });
    const code = await program.run(...args);
    return { code, stdout: program.stdout.text, stderr: program.stderr.text };
  };
  return { plane, agent, address, run };
}

test('a verb of three files is reached by packet, SDK, REST, ctl and helm', async (t) => {
  const { plane, agent, address, run } = await world(t);

  const payload = JSON.stringify({ namespace: 'shop', releaseName: 'web', color: 'green', coats: 2 });
  const client = await dialAgent(t, agent.port, [subprotocol]);
  client.send({ key: 'a', type: 'paint_release', payload });
  const { payload: result = '' } = await client.packet(({ type }) => type === 'result');
  t.deepEqual(JSON.parse(result), { ok: true, painted: 'shop/web green x2' });
  const plain = await dialAgent(t, agent.port);
  plain.send({ key: 'b', type: 'paint_release', payload });
  t.is((await plain.packet(({ key }) => key === 'b')).payload, '"shop/web green x2"');

  const sent = await plane.paint('edge-1', { releaseName: 'web', color: 'green' }).result;
  t.deepEqual(sent.ok && (sent.painted satisfies string), 'default/web green x1');
  // @ts-expect-error a color that the field does not have
  t.like(await plane.paint('edge-1', { releaseName: 'web', color: 'blue' }).result, { error: { code: 'bad_payload' } });

  const response = await fetch(`http://${address}/api/agents/edge-1/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'paint_release', payload: { releaseName: 'web' } }),
  });
  const { key } = (await response.json()) as { key: string };
  t.like(await plane.command(key)?.result, { ok: true, painted: 'default/web red x1' });

  t.like(await run('ctl', 'paint', 'web', '-n', 'shop', '--coats', '3'), {
    code: 0,
    stdout: 'ctl painted shop/web red x3\n',
  });
  t.deepEqual(await run('helm', 'paint', 'web', '-n', 'shop', '-c', '3'), {
    code: 0,
    stdout: 'helm painted shop/web green x3\n',
    stderr: '',
  });
});

test('helm performs the verb itself without an agent', async (t) => {
  const { run, stdout, stderr } = testProgram({
    verbs: allVerbs,
    env: { HOME: '/home/helm', KUBECONFIG: '/dev/null' },
    openReleases: () =>
      Promise.resolve(
        clusterReleases({
          cluster: { text: kubeconfig },
          storageDriver: 'secret',
          loaders,
          progress: () => undefined,
        }),
      ),
  });
  t.is(await run('helm', 'paint', 'web', '--shade', 'red'), 0, stderr.text);
  t.is(stdout.text, 'helm painted default/web red x1\n');
});

test('errors, help, completion, schema and documentation of the verb are derived, too', async (t) => {
  const { run } = await world(t);
  for (const program of ['ctl', 'helm']) {
    const help = await run(program, 'paint', '--help');
    t.regex(help.stdout, /^Paint a release\n/);
    t.regex(help.stdout, /\n {6}--shade string +red or green\n/);
    t.regex(help.stdout, /\n {2}-c, --coats int +number of coats\n/);
    t.like(await run(program, 'paint', 'web', '--shade', 'blue'), {
      code: 1,
      stderr: 'Error: --shade must be one of red, green, not "blue"\n',
    });
    t.regex((await run(program, 'paint')).stderr, /^Error: "(?:helm-agent ctl|helm) paint" requires 1 argument\n/);
    t.is((await run('__complete', program, 'pain')).stdout.split('\t')[0], 'paint');
    t.regex((await run('__complete', program, 'paint', '--c')).stdout, /^--coats\tnumber of coats\n/);
  }
  t.regex(JSON.stringify(packetSchema(table)), /"paint_release\.payload":\{.*"coats":/);
  t.true(
    commandRows(table).includes(
      '| [`paint_release`](#paint_release) | Paints a release. | `painted` | `paint` | `deploy` |',
    ),
  );
  t.regex(renewTables('<!-- table: paint_release -->\n\n<!-- end -->', table), /\| `coats` \| Number of coats\. /);
});

test('a command survives the agent if its definition says so', (t) => {
  const isDurable = (survives: boolean) => {
    const commands = {
      table: createCommandTable({ paint_release: { ...paintRelease, survives } }),
      handlers: { paint_release: () => Promise.resolve({}) },
      allowedRights: rights,
    };
    return readCommand({ type: 'paint_release', payload: '{"releaseName":"web"}' }, commands).isDurable;
  };
  t.true(isDurable(true));
  t.false(isDurable(false));
});

test('a program that does not know the verb refuses it', async (t) => {
  const { agent } = await testAgent(t, { listen: { host: '127.0.0.1', port: 0 } });
  const client = await dialAgent(t, agent.port, [subprotocol]);
  client.send({ key: 'a', type: 'paint_release', payload: '{"releaseName":"web"}' });
  const { payload = '' } = await client.packet(({ type }) => type === 'result');
  t.like(JSON.parse(payload), { ok: false, error: { code: 'unknown_command' } });
  const { run, stderr } = testProgram();
  t.is(await run('ctl', 'paint', 'web'), 1);
  t.regex(stderr.text, /^Error: unknown command "paint" for "helm-agent ctl"\n/);
});
