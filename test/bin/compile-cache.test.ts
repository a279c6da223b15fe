import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { compileCacheFolder } from '../../src/bin/compile-cache.ts';

const program = new URL('../../src/bin/helm-agent.ts', import.meta.url).pathname;

/** Runs `helm-agent --version` with a folder for caches. */
async function versionWith(cache: string): Promise<string> {
  const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: cache };
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--version'], { env, timeout: 60_000 });
  return stdout;
}

test('the folder for compiled code is created, and only its user can read it', async (t) => {
  const cache = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  t.teardown(() => rm(cache, { recursive: true }));
  await versionWith(cache);
  const folder = join(cache, 'helm-agent/compiled');
  t.true((await readdir(folder)).length > 0);
  t.is((await stat(folder)).mode & 0o777, 0o700);
});

const foreign: Record<string, (cache: string) => Promise<unknown>> = {
  'that others can write': async (cache) => {
    await mkdir(join(cache, 'helm-agent/compiled'), { recursive: true });
    await chmod(join(cache, 'helm-agent/compiled'), 0o777);
  },
  'in a folder that the group can write': async (cache) => {
    await mkdir(join(cache, 'helm-agent/compiled'), { recursive: true });
    await chmod(join(cache, 'helm-agent'), 0o770);
  },
  'that is a link': async (cache) => {
    await mkdir(join(cache, 'helm-agent'));
    await mkdir(join(cache, 'elsewhere'));
    await symlink('../elsewhere', join(cache, 'helm-agent/compiled'));
  },
  'below a folder that everyone can write': async (cache) => {
    await mkdir(join(cache, 'helm-agent/compiled'), { recursive: true, mode: 0o700 });
    await chmod(cache, 0o1777);
  },
  'of another user': async (cache) => {
    await mkdir(join(cache, 'helm-agent/compiled'), { recursive: true });
    await chown(join(cache, 'helm-agent/compiled'), 12_345, 12_345);
  },
};
for (const [what, prepare] of Object.entries(foreign)) {
  const run = what === 'of another user' && process.getuid?.() !== 0 ? test.skip : test; // needs root
  run(`a folder for compiled code ${what} is not used`, async (t) => {
    const cache = await mkdtemp(join(tmpdir(), 'helm-agent-'));
    t.teardown(() => rm(cache, { recursive: true }));
    await prepare(cache);
    t.regex(await versionWith(cache), /^\d+\.\d+\.\d+/);
    t.deepEqual(await readdir(join(cache, 'helm-agent/compiled')), []);
  });
}

for (const cache of ['/proc/none', '/dev/null', '/dev/null/none', '']) {
  test(`a command runs if there cannot be a folder for caches: ${JSON.stringify(cache)}`, async (t) => {
    t.regex(await versionWith(cache), /^\d+\.\d+\.\d+/);
  });
}

const folderOf = test.macro<[Record<string, string>, NodeJS.Platform, string | undefined]>({
  title: (_, env, platform, folder) =>
    `with ${JSON.stringify(env)} on ${platform}, compiled code is ${folder === undefined ? 'not kept' : `in ${folder}`}`,
  exec: (t, env, platform, folder) => t.is(compileCacheFolder(env, platform), folder),
});

test(folderOf, { HOME: '/home/ann' }, 'linux', '/home/ann/.cache/helm-agent/compiled');
test(folderOf, { HOME: '/home/ann', XDG_CACHE_HOME: '/cache' }, 'linux', '/cache/helm-agent/compiled');
test(folderOf, { HOME: '/Users/ann' }, 'darwin', '/Users/ann/Library/Caches/helm-agent/compiled');
test(folderOf, {}, 'linux', undefined);
test(folderOf, {}, 'win32', undefined);
