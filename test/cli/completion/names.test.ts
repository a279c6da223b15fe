import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { testProgram } from '../support/program.ts';

const agentNames = ['edge-1', 'edge-2', 'shop-berlin'];

/** Names that would be run, expanded or shown as something else by a shell. */
const hostileNames = [
  ...['$(touch /tmp/x)', '`id`', 'a;id', 'a|b', 'a&b', 'a b', 'a\nedge-9', 'a\tb', "a'b", 'a"b', 'a\\b', '*', '~root'],
  ...['--server', '-x', '', '\u001b[2Jedge', 'a\u202eb', '{a,b}', '[a]', '!1', '#a', 'a<b', 'a>b', 'x'.repeat(300)],
];

const rollout = (id: string, phase = 'running') => ({
  ...{ id, phase, type: 'upgrade_release', wave: 1, waveStage: 'updating', createdAt: '2026-01-01T00:00:00Z' },
  ...{ clusters: {}, waves: [], problems: [] },
});

/** Returns what is offered for words by a control plane with some agents and rollouts. */
async function complete(words: readonly string[], { agents = agentNames, rollouts = ['web-2.0'] } = {}) {
  const requests: string[] = [];
  const bodies: Readonly<Record<string, unknown>> = {
    '/api/agents': { agents: agents.map((agentId) => ({ agentId, connected: true })) },
    '/api/rollouts': { rollouts: rollouts.map((id) => rollout(id)) },
  };
  const { run, stdout, stderr } = testProgram({
    fetch: (url) => {
      requests.push(url);
      return Promise.resolve(Response.json(bodies[new URL(url).pathname]));
    },
  });
  const code = await run('__completeNoDesc', ...words);
  return { code, requests, stderr: stderr.text, offered: stdout.text.trimEnd().split('\n') };
}

for (const verb of ['status', 'pause', 'resume', 'plans', 'approve', 'abort', 'retry', 'delete']) {
  test(`ctl rollout ${verb} is completed with the ids of rollouts, and only those`, async (t) => {
    t.like(await complete(['ctl', 'rollout', verb, 'w']), { code: 0, offered: ['web-2.0', ':4'], stderr: '' });
    t.deepEqual((await complete(['ctl', 'rollout', verb, 'web-2.0', ''])).offered, [':0']);
  });
}

for (const words of [
  ['ctl', 'install', 'web', 'chart', '--agent', 'edge'],
  ['ctl', 'status', '--agent', 'edge'],
  ['ctl', 'forget-agent', 'edge'],
]) {
  test(`${words.join(' ')} is completed with the ids of agents`, async (t) => {
    t.deepEqual((await complete(words)).offered, ['edge-1', 'edge-2', ':4']);
  });
}

test('the control plane of the line is asked', async (t) => {
  const { requests } = await complete(['ctl', '--server', 'https://plane.example', 'rollout', 'status', '']);
  t.deepEqual(requests, ['https://plane.example/api/rollouts']);
});

test('no control plane is asked for other words', async (t) => {
  for (const words of [
    ['ctl', 'rollout', 's'],
    ['ctl', 'rollout', 'status', '--'],
    ['run', ''],
    ['ctl', 'install', ''],
  ]) {
    t.deepEqual((await complete(words)).requests, [], words.join(' '));
  }
});

test('names that mean something to a shell are not offered', async (t) => {
  const agents = [...hostileNames, 'edge-1'];
  t.deepEqual((await complete(['ctl', 'status', '--agent', ''], { agents })).offered, ['edge-1', ':4']);
  const rollouts = [...hostileNames, 'web'];
  t.deepEqual((await complete(['ctl', 'rollout', 'abort', ''], { rollouts })).offered, ['web', ':4']);
});

test('at most a thousand names are offered', async (t) => {
  const agents = Array.from({ length: 5000 }, (_, index) => `edge-${index}`);
  t.is((await complete(['ctl', 'status', '--agent', ''], { agents })).offered.length, 1001);
});

test('nothing is offered or said when the control plane refuses, sends nonsense or cannot be reached', async (t) => {
  for (const fetch of [
    () => Promise.resolve(Response.json({ error: { code: 'unauthorized', message: 'no' } }, { status: 401 })),
    () => Promise.resolve(new Response('{"agents":')),
    () => Promise.resolve(Response.json({ agents: 'all' })),
    () => Promise.reject(new TypeError('fetch failed')),
  ]) {
    const { run, stdout, stderr } = testProgram({ fetch });
    t.is(await run('__complete', 'ctl', 'status', '--agent', ''), 0);
    t.deepEqual([stdout.text, stderr.text], [':4\n', '']);
  }
});

test('a control plane that does not respond holds the shell up for two seconds', async (t) => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server has no other address
  const { run, stdout } = testProgram({ env: { HELM_AGENT_SERVER: `http://127.0.0.1:${port}` }, fetch });
  const start = performance.now();
  t.is(await run('__complete', 'ctl', 'status', '--agent', ''), 0);
  t.is(stdout.text, ':4\n');
  t.true(performance.now() - start < 15_000);
});

/** How shells are asked for what they offer after a script was loaded. */
const shells: Readonly<Record<string, string>> = {
  bash: 'COMP_WORDS=(helm-agent ctl rollout status w); COMP_CWORD=4; __start_helm_agent; echo "${COMPREPLY[*]}"',
  // zsh completes in its line editor only, so its own functions are replaced
  zsh: 'words=(helm-agent ctl rollout status w); CURRENT=5; _helm_agent',
  fish: 'complete -C "helm-agent ctl rollout status w"',
};

for (const [shell, ask] of Object.entries(shells)) {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
  const run = isInstalled ? test : test.skip;
  run(`the ${shell} script offers the ids of rollouts${isInstalled ? '' : ' (it is not installed)'}`, async (t) => {
    const { run: print, stdout } = testProgram();
    t.is(await print('completion', shell, '--no-descriptions'), 0);
    const words = ['ctl', 'rollout', 'status', 'w'];
    const { offered } = await complete(words, { rollouts: ['web-2.0', 'web-3.0', 'mail'] });
    const lines = offered.join('\\n');
    const fake =
      shell === 'fish'
        ? `function helm-agent; printf '${lines}\\n'; end`
        : `helm-agent() { local IFS=" "; [[ "$*|" == '__completeNoDesc ${words.join(' ')}|' ]] && printf '${lines}\\n'; }`;
    const own = shell === 'zsh' ? 'compdef() { }; _describe() { print -l ${(P)2}; }' : '';
    const result = spawnSync(shell, ['-c', `${own}\n${stdout.text}\n${fake}\n${ask}`], { encoding: 'utf8' });
    t.deepEqual(result.stdout.trim().split(/\s+/), ['web-2.0', 'web-3.0'], result.stderr);
  });
}
