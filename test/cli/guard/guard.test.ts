import test from 'ava';
import { testProgram } from '../support/program.ts';

test('guard takes the settings of its agent, and the same defaults', async (t) => {
  const { run, guardians } = testProgram();
  t.is(await run('guard', '--agent-id', 'edge-1'), 0);
  t.is(await run('guard', '--agent-id', 'edge-1', '--storage-driver', 'configmap', '--trust-releases', 'own'), 0);
  t.deepEqual(guardians, [
    { agentId: 'edge-1', storageDriver: 'secret', trustReleases: 'any' },
    { agentId: 'edge-1', storageDriver: 'configmap', trustReleases: 'own' },
  ]);
});

test('guard refuses to run without the id of an agent', async (t) => {
  const { run, guardians, stderr } = testProgram();
  t.not(await run('guard'), 0);
  t.regex(stderr.text, /--agent-id/);
  t.deepEqual(guardians, []);
});

test('guard is not among the commands for people', async (t) => {
  const { run, stdout } = testProgram();
  await run('--help');
  t.notRegex(stdout.text, /^ {2}guard/m);
  t.regex(stdout.text, /^ {2}rights/m);
});
