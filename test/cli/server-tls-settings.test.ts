import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { testProgram } from './support/program.ts';

const commands = [['control-plane'], ['run', '--listen', '0']];

test('errors of the files for TLS name the flag', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tls.crt');
  await writeFile(file, 'nonsense');
  for (const command of commands) {
    const errorOf = async (...flags: string[]) => {
      const { run, stderr, runs, planes } = testProgram();
      t.is(await run(...command, ...flags), 1);
      t.is(runs.length + planes.length, 0);
      return stderr.text;
    };
    const pair = (certificate: string) => ['--tls-certificate', certificate, '--tls-key', file];
    t.regex(await errorOf('--tls-key', file), /--tls-certificate \(HELM_AGENT_TLS_CERTIFICATE\): give both/);
    t.regex(await errorOf('--tls-certificate', file), /give both --tls-certificate and --tls-key, or neither/);
    t.regex(await errorOf(...pair(file)), /^.*--tls-certificate \(.*\): .*must have a certificate in PEM/m);
    t.regex(await errorOf(...pair('/none')), /--tls-certificate \(.*\): cannot read the certificate: .*no such file/);
  }
  const { run, stderr } = testProgram();
  await run('run', '--control-plane', 'ws://127.0.0.1:9', '--tls-certificate', file, '--tls-key', file);
  t.regex(stderr.text, /--tls-certificate \(.*\): needs --listen/);
});
