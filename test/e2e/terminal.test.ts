import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { connectCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { uniqueName } from '../api/environment.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { useHarness } from './harness.ts';
import { loadShellTools } from './image.ts';
import { createNamespace } from './namespaces.ts';
import { kubeconfigText } from './real-cluster.ts';

// Programs that draw the whole screen, in a pseudo terminal of tmux, which emulates a terminal and
// says what is in its cells.

const { E2E_IMAGE_BASE: base = '', E2E_LOAD_IMAGE: loadCommand = '' } = process.env;
const run = promisify(execFile);
const { image, needs = '' } = await prepared();
const onCluster = image === undefined ? test.skip : test.serial;

/** Returns the image with the programs, or what is missing, as an end of the titles. */
async function prepared(): Promise<{ image?: string; needs?: string }> {
  if (base === '' || loadCommand === '') return { needs: ' (needs E2E_IMAGE_BASE and E2E_LOAD_IMAGE)' };
  try {
    await run('tmux', ['-V']);
  } catch {
    return { needs: ' (needs tmux)' };
  }
  try {
    return { image: await loadShellTools(base, loadCommand) };
  } catch (error) {
    console.error(error);
    return { needs: ' (needs an image with vim, less and top, which could not be built)' };
  }
}

const options = { kubeconfig: kubeconfigText(), localCharts: '.', arguments: ['--allow-rights', 'read,exec'] };
const harness = useHarness(() => options);
const cluster = connectCluster({ text: options.kubeconfig });
const namespace = uniqueName('e2e');

test.before('a pod with the programs', async () => {
  if (image === undefined) return;
  await createNamespace(cluster, namespace);
  await cluster.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'tools', namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image, imagePullPolicy: 'Never', command: ['sleep', 'infinity'] }],
    },
  });
  await eventually('the pod runs', async () => {
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', name: 'tools', namespace });
    return stringAt(pod, 'status', 'phase') === 'Running';
  });
});

test.after.always('namespace', async () => {
  if (image !== undefined) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
});

/** Opens a terminal of 80 columns and 24 rows, in which a program of the pod runs. */
async function terminal(t: ExecutionContext, ...command: string[]) {
  const { url, agentId } = harness();
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-tmux-'));
  const socket = join(folder, 'socket');
  const tmux = async (...args: string[]) => (await run('tmux', ['-S', socket, '-f', '/dev/null', ...args])).stdout;
  const ctl = [process.execPath, program, 'ctl', 'exec', 'tools', '-n', namespace, '--server', url];
  const words = [...ctl, '--agent', agentId, '-it', '--', ...command].map((word) => `'${word}'`);
  const script = join(folder, 'run.sh');
  await writeFile(script, `${words.join(' ')}\necho "exit code $?"; stty -a | grep -o -- '-\\?icanon'; sleep 1h\n`);
  await tmux('new-session', '-d', '-x', '80', '-y', '24', `sh ${script}`);
  t.teardown(async () => {
    await tmux('kill-server').catch(() => undefined);
    await rm(folder, { recursive: true });
  });
  const rows = async () => (await tmux('capture-pane', '-p')).split('\n').slice(0, -1);
  return {
    rows,
    keys: (...keys: string[]) => tmux('send-keys', ...keys),
    resize: (columns: number, lines: number) => tmux('resize-window', '-x', String(columns), '-y', String(lines)),
    shows: async (what: RegExp, fits: (lines: string[]) => boolean = () => true) => {
      let lines: string[] = [];
      try {
        await eventually(String(what), async () => {
          lines = await rows();
          return what.test(lines.join('\n')) && fits(lines);
        });
      } catch (error) {
        throw new Error(`the screen does not show ${String(what)}:\n${lines.join('\n')}`, { cause: error });
      }
      return lines;
    },
  };
}

onCluster(`vim draws the screen, takes keys, follows a new size, and writes a file${needs}`, async (t) => {
  t.timeout(180_000);
  const { keys, shows, resize } = await terminal(t, 'env', 'LANG=C.UTF-8', 'vim.tiny', '-u', 'NONE', '-N', '/tmp/note');
  // its message about the new file is gone if it draws again for the size of the terminal
  const empty = await shows(/^~$/m, (lines) => lines[22] === '~');
  t.is(empty.length, 24);
  t.deepEqual(
    empty.slice(1, 23),
    Array.from({ length: 22 }, () => '~'),
  );
  await keys('i', 'Grüße', 'Enter', 'second line', 'Escape');
  const typed = await shows(/second line/);
  t.deepEqual(typed.slice(0, 3), ['Grüße', 'second line', '~']);
  await resize(100, 30);
  const grown = await shows(/^second line$/m, (lines) => lines[28] === '~');
  t.is(grown.length, 30);
  await keys(':wq', 'Enter');
  const ended = await shows(/exit code 0[^]*icanon/);
  t.regex(ended.join('\n'), /exit code 0\nicanon/); // the local terminal is as it was
  const { shows: shown } = await terminal(t, 'cat', '/tmp/note');
  const content = await shown(/exit code 0/);
  t.deepEqual(content.slice(0, 2), ['Grüße', 'second line']);
});

onCluster(`less shows pages, and searches${needs}`, async (t) => {
  t.timeout(180_000);
  const { keys, shows } = await terminal(t, 'sh', '-c', 'seq 1 500 | less');
  const first = await shows(/^:$/m);
  t.deepEqual([first[0], first[22]], ['1', '23']);
  await keys('Space');
  const second = await shows(/^24$/m, (lines) => lines[0] === '24');
  t.is(second[22], '46');
  await keys('/^321$', 'Enter');
  await shows(/^321$/m, (lines) => lines[0] === '321');
  await keys('q');
  await shows(/exit code 0/);
});

onCluster(`top draws its table again and again, and ends with q; Ctrl-C reaches the program${needs}`, async (t) => {
  t.timeout(180_000);
  const { keys, shows } = await terminal(t, 'top', '-d', '0.3');
  const first = await shows(/PID USER[^]*sleep/);
  t.regex(first[0] ?? '', /^top - /);
  const clock = first[0]?.slice(0, 15);
  await shows(/^top - /, (lines) => lines[0]?.slice(0, 15) !== clock);
  await keys('q');
  await shows(/exit code 0/);
  const trap = await terminal(t, 'sh', '-c', 'trap "echo caught; exit 9" INT; echo ready; while :; do sleep 0.1; done');
  await trap.shows(/ready/);
  await trap.keys('C-c');
  await trap.shows(/caught[^]*exit code 9/);
});
