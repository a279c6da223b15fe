import { spawnSync } from 'node:child_process';
import test from 'ava';
import { testProgram } from '../support/program.ts';

const completes = test.macro({
  title: (_, words: string[]) => `completes helm-agent ${words.join(' ')}`,
  async exec(t, words: string[], expected: string[]) {
    const { run, stdout } = testProgram();
    t.is(await run('__completeNoDesc', ...words), 0);
    t.deepEqual(stdout.text.trimEnd().split('\n'), expected);
  },
});

test(completes, ['c'], ['completion', 'control-plane', 'ctl', ':4']);
test(completes, ['run', '--leader-elect-r'], ['--leader-elect-renew-deadline', '--leader-elect-retry-period', ':4']);
test(completes, ['agents', ''], ['add', 'list', 'revoke', 'rotate', ':4']);
test(completes, ['agents', 'revoke', '--'], ['--agents-file', '--help', '--token', ':4']);
test(completes, ['ctl', 'ca'], ['cancel', ':4']);
test(completes, ['ctl', '--server', 'https://plane.example', 'fo'], ['forget-agent', ':4']);
test(completes, ['ctl', 'agents', '-o', 'j'], ['json', ':4']);
test(completes, ['run', '--kubeconfig', ''], [':0']);
test(completes, ['helm', 'unin'], ['uninstall', ':4']);
test(completes, ['show', 'cr'], ['crds', ':4']);
test(completes, ['nosuch', ''], [':0']);
test(
  completes,
  [],
  [
    'agents',
    'audit',
    'completion',
    'control-plane',
    'ctl',
    'helm',
    'lint',
    'policy',
    'rights',
    'run',
    'sandbox',
    'show',
    'template',
    ':4',
  ],
);

test('completion describes commands', async (t) => {
  const { run, stdout } = testProgram();
  t.is(await run('__complete', 'agents', 'li'), 0);
  t.is(stdout.text, 'list\tprint the ids of the agents\n:4\n');
});

test('the bash script completes helm-agent', async (t) => {
  const { run, stdout } = testProgram();
  t.is(await run('completion', 'bash'), 0);
  const fake = `helm-agent() { local IFS=" "; [[ "$*|" == '__completeNoDesc ctl ca|' ]] && printf 'cancel\n:4\n'; }`;
  const call = 'COMP_WORDS=(helm-agent ctl ca); COMP_CWORD=2; __start_helm_agent; echo "${COMPREPLY[*]}"';
  const result = spawnSync('bash', ['-c', `${stdout.text}\n${fake}\n${call}`], { encoding: 'utf8' });
  t.is(result.stdout, 'cancel\n');
});
