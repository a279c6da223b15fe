import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { commandStreams } from '../../../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../../src/agent/connection/tunnel-source.ts';
import type { CommandPayloads } from '../../../../src/protocol/commands/index.ts';
import { channels, messagesOf, writeMessages } from '../../../../src/protocol/streams/messages.ts';
import { testAgent } from '../../../agent/support/agent.ts';
import { PuppetHandlers } from '../../../agent/support/handlers.ts';
import { testPlane } from '../../../control-plane/support/plane.ts';
import { testProgram } from '../../support/program.ts';

interface WorldOptions {
  /** Changes a command before it runs. */
  instead?: (command: string[]) => string[];
  allowedRights?: Array<'exec'>;
}

/** A container that is a folder of this machine, in which programs of this machine run. */
async function world(
  t: ExecutionContext,
  { instead = (command) => command, allowedRights = ['exec'] }: WorldOptions = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-cp-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [here, container] = [join(folder, 'here'), join(folder, 'container')];
  await Promise.all([mkdir(here), mkdir(container)]);
  const { plane, url, agentUrl } = await testPlane(t);
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const payloads: Array<CommandPayloads['exec_pod']> = [];
  const handlers: CommandHandlers = {
    ...new PuppetHandlers().handlers,
    async exec_pod(payload, { id, signal }) {
      payloads.push(payload);
      const [program = '', ...args] = instead(payload.command ?? []);
      const stream = await open(id, signal);
      const child = spawn(program, args, { cwd: container });
      const exited = once(child, 'close');
      const passInput = async () => {
        for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
          if (channel === channels.control) child.stdin.end();
          else if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
        }
      };
      child.stdin.on('error', () => undefined);
      if (payload.stdin !== true) child.stdin.end();
      passInput().catch(() => child.kill());
      const passOutput = async (from: 'stdout' | 'stderr', channel: 1 | 2) => {
        for await (const bytes of child[from] as AsyncIterable<Buffer>) {
          await writeMessages(stream, { channel, bytes }, signal);
        }
      };
      await Promise.all([passOutput('stdout', channels.output), passOutput('stderr', channels.error), exited]);
      stream.end();
      await finished(stream, { readable: false }); // the result must not arrive before the output
      return { exitCode: child.exitCode ?? 137, pod: 'web-0', container: 'app' };
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights });
  await plane.waitForAgent('edge-1');
  const { run, stderr } = testProgram({ env: { HELM_AGENT_SERVER: url, HELM_AGENT_AGENT: 'edge-1' } });
  return { run: (...args: string[]) => run('ctl', 'cp', ...args), stderr, payloads, here, container };
}

test('a folder arrives in a container and returns, with its modes and all bytes', async (t) => {
  const { run, stderr, payloads, here, container } = await world(t);
  const content = Buffer.alloc(3 * 1024 * 1024, 'content \u0000\u00ff', 'latin1');
  await mkdir(join(here, 'site', 'deep'), { recursive: true });
  await writeFile(join(here, 'site', 'a b.bin'), content);
  await writeFile(join(here, 'site', 'deep', 'empty.sh'), '', { mode: 0o755 });
  await symlink('a b.bin', join(here, 'site', 'link'));
  t.is(await run(join(here, 'site'), 'deploy/web:data', '-n', 'shop', '-c', 'app'), 0, stderr.text);
  t.true((await readFile(join(container, 'data', 'a b.bin'))).equals(content));
  t.is((await stat(join(container, 'data', 'deep', 'empty.sh'))).mode & 0o777, 0o755);
  t.deepEqual((await readdir(join(container, 'data'))).sort(), ['a b.bin', 'deep']);
  t.like(payloads[0], { namespace: 'shop', name: 'deploy/web', container: 'app', command: ['test', '-d', 'data'] });
  t.like(payloads[1], { name: 'web-0', container: 'app', stdin: true });
  t.regex(stderr.text, /left out.*link\ncopied 2 files, 3\.0 MiB, 1 left out to web-0, container app\n/);
  t.is(await run('web-0:data', here), 0, stderr.text);
  t.true((await readFile(join(here, 'data', 'a b.bin'))).equals(content));
  t.is((await stat(join(here, 'data', 'deep', 'empty.sh'))).mode & 0o777, 0o755);
});

test('a file goes into a folder, or gets the new name', async (t) => {
  const { run, here, container } = await world(t);
  await mkdir(join(container, 'folder'));
  await writeFile(join(here, '-x'), 'odd');
  t.is(await run(join(here, '-x'), 'web-0:folder'), 0);
  t.is(await run(join(here, '-x'), 'web-0:renamed'), 0);
  t.is(await readFile(join(container, 'folder', '-x'), 'utf8'), 'odd');
  t.is(await readFile(join(container, 'renamed'), 'utf8'), 'odd');
  t.is(await run('web-0:folder/-x', join(here, 'back')), 0);
  t.is(await readFile(join(here, 'back'), 'utf8'), 'odd');
  t.is(await run('--release', 'web', ':folder/.', join(here, 'content')), 0);
  t.deepEqual(await readdir(join(here, 'content')), ['-x']);
});

const fails = test.macro({
  title: (title = '') => `says that ${title}`,
  async exec(t, args: (here: string) => string[], expected: RegExp, options: WorldOptions = {}) {
    const { run, stderr, here } = await world(t, options);
    await writeFile(join(here, 'a'), 'x');
    t.is(await run(...args(here)), 1);
    t.regex(stderr.text, expected);
    t.deepEqual(await readdir(here), ['a']);
  },
});

const toPod = (here: string) => [join(here, 'a'), 'web-0:b'];
const fromPod = (here: string) => ['web-0:b', join(here, 'b')];
test('neither place is in a container', fails, () => ['a', 'b'], /name a container in one of the two/);
test('both places are in containers', fails, () => ['a:/b', 'c:/d'], /name a container in one of the two/);
test('a pod and a release are given', fails, () => ['--release', 'web', 'a:/b', 'c'], /name a pod or a workload/);
test('neither a pod nor a release is given', fails, () => [':/b', 'c'], /name a pod or a workload/);
test('one place is missing', fails, () => ['a:/b'], /requires 2 arguments/);
test('the file does not exist here', fails, (here) => [join(here, 'nope'), 'web-0:b'], /ENOENT.*nope/);
test('the file does not exist there', fails, fromPod, /tar in the container has ended with 2: .*No such file/);
test('the folder does not exist there', fails, (here) => [join(here, 'a'), 'web-0:nope/'], /nope\/ is not a folder/);
test('tar fails', fails, toPod, /tar in the container has ended with 3: it has said no reason/, {
  instead: (command) => (command[0] === 'tar' ? ['sh', '-c', 'exit 3'] : command),
});
test('a container without tar needs it', fails, toPod, /ended with 127 \(the container needs tar\): .*not found/, {
  instead: (command) => (command[0] === 'tar' ? ['sh', '-c', 'nope-tar'] : command),
});
test('a container sends another file', fails, fromPod, /has sent "evil", which is not in "b"/, {
  instead: () => ['sh', '-c', 'echo evil > evil; tar cf - evil; head -c 9000000 /dev/zero'],
});
test('the owner of the agent does not allow it', fails, fromPod, /forbidden/, { allowedRights: [] });
