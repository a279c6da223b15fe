// Adds to a folder with the program in app/ the code that an agent or a control plane has compiled
// at its start, in var/cache/compiled: one in the image then starts with less work. It is for the
// Node of this system, and for the user and the flags of the image; with others, Node compiles the
// program as usual.
// Usage: node tools/image-compiled.ts FOLDER run|control-plane FLAG...
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesIn, mib, sizeOf } from './image-files.ts';

const [root, command, ...flags] = process.argv.slice(2);
if (root === undefined || (command !== 'run' && command !== 'control-plane')) {
  throw new Error('usage: node tools/image-compiled.ts FOLDER run|control-plane FLAG...');
}

/** The user of the image, whose number is a part of the name of the folder. */
const user = 65_532;

/** Time for the program to start, also in an emulator. */
const startMs = 120_000;

/** Says that the program has started: an agent that cannot connect, or a control plane. */
const lastLine = command === 'run' ? 'cannot connect to the control plane' : 'the control plane is listening';

const nowhere = '127.0.0.1:9';
const kubeconfig = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'none' },
  clusters: [{ name: 'none', cluster: { server: `http://${nowhere}` } }],
  users: [{ name: 'none', user: {} }],
  contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
};

const folder = await mkdtemp(join(tmpdir(), 'compiled-'));
const app = '/app'; // as in the image: the paths of the files are a part of the names
await cp(join(root, 'app'), app, { recursive: true });
await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
await chown(folder, user, user);
await run(command);
const [name] = await readdir(join(folder, 'cache'));
const compiled = await filesIn(join(folder, 'cache'));
if (name?.endsWith(`-${user}`) !== true) throw new Error('the program has not kept its compiled code');
await cp(join(folder, 'cache'), join(root, 'var/cache/compiled'), { recursive: true });
for (const file of await filesIn(join(root, 'var/cache/compiled'))) {
  await chown(file, 0, 0);
  await chmod(file, 0o644);
}
console.log(`the compiled code has ${mib(await sizeOf(join(folder, 'cache')))} in ${compiled.length} files`);
await rm(folder, { recursive: true });
await rm(app, { recursive: true });

/** Runs the program until it has started. */
async function run(verb: 'run' | 'control-plane'): Promise<void> {
  const argumentsOf = {
    run: ['--kubeconfig', join(folder, 'kubeconfig'), '--control-plane', `ws://${nowhere}`, '--agent-id', 'none'],
    'control-plane': ['--port', '0', '--data', join(folder, 'control-plane.db')],
  };
  const args = [...flags, join(app, 'helm-agent.mjs'), verb, ...argumentsOf[verb]];
  const child = spawn(process.execPath, args, {
    ...{ cwd: '/', uid: user, gid: user, timeout: startMs },
    env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: join(folder, 'cache') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const hasStarted = output.includes(lastLine);
    output += text;
    if (!hasStarted && output.includes(lastLine)) child.kill('SIGTERM'); // a second signal would end it at once
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the program has ended with ${code ?? 'a signal'}: ${output}`);
}
