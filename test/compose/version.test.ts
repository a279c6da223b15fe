import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { version } from '../../src/compose/version.ts';

const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const program = new URL('../../src/bin/helm-agent.ts', import.meta.url).pathname;

test('the version of the program is the one in package.json', (t) => {
  t.like(manifest, { version });
});

test('an older Node gets one line that names the required version, which is the one in package.json', (t) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.is(status, 1);
  t.is(stdout, '');
  t.is(stderr, 'helm-agent needs Node 24 or newer, but this is Node 20.20.2; see https://nodejs.org\n');
  t.like(manifest, { engines: { node: '>=24' } });
});
