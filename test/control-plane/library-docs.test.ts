import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { credentialOf, formatAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import { documentedExamples } from '../../tools/documented-examples.ts';
import { testAgent } from '../agent/support/agent.ts';
import { testRelease } from '../agent/support/release.ts';
import { quickStart } from '../support/quick-start.ts';

const source = new URL('../../src/control-plane/index.ts', import.meta.url).href;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  server.close();
  await once(server, 'close');
  return port;
}

test('the example of docs/library.md sends a command, gets its result, and stops', async (t) => {
  const examples = await documentedExamples('helm-agent/control-plane');
  const code = examples.find(({ title }) => title.startsWith('docs/library.md'))?.code ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-example-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const port = await freePort();
  await writeFile(join(folder, 'agents'), formatAgentsFile([credentialOf('edge-1', 'open-sesame')]));
  await writeFile(
    join(folder, 'example.ts'),
    code.replace(`'helm-agent/control-plane'`, JSON.stringify(source)).replace('8088', String(port)),
  );
  const child = spawn(process.execPath, [join(folder, 'example.ts')], {
    ...{ cwd: folder, env: quickStart() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const { puppets } = await testAgent(t, {
    controlPlaneUrl: `ws://127.0.0.1:${port}/agents`,
    readToken: () => Promise.resolve('open-sesame'),
  });
  const call = await puppets.call(0);
  t.like(call.payload, { releaseName: 'shop', namespace: 'prod', chartName: 'web', values: '{"replicas":3}' });
  call.succeed({ release: testRelease('shop') });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [0, null]);
  t.deepEqual(await output, ['1 order-17 edge-1 ok\n', '']);
  const database = new DatabaseSync(join(folder, 'commands.db'));
  t.like(database.prepare('SELECT * FROM commands').get(), { state: 'done', is_delivered: 1 });
  database.close();
});
