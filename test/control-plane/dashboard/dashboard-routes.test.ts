import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { testPlane } from '../support/plane.ts';

const browser = { accept: 'text/html,application/xhtml+xml' };

/** Starts a control plane with a dashboard of two files. */
async function planeWithDashboard(t: ExecutionContext) {
  const parent = await mkdtemp(join(tmpdir(), 'helm-agent-dashboard-'));
  t.teardown(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'dashboard');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(folder, 'dashboard-ABC.js'), 'run()');
  await writeFile(join(folder, 'notes.txt'), 'not a file of a page');
  await writeFile(join(parent, 'secret.js'), 'secret');
  const plane = await testPlane(t, { dashboard: folder, apiToken: () => Promise.resolve('users') });
  return { ...plane, folder };
}

test('serves the page to browsers at the paths of its views, without a token', async (t) => {
  const { url } = await planeWithDashboard(t);
  for (const path of ['/', '/agents', '/agents/edge-1/releases/shop/web?tab=values', '/commands/a%2Fb']) {
    const response = await fetch(url + path, { headers: browser });
    t.is(response.status, 200, path);
    t.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    t.is(response.headers.get('cache-control'), 'no-cache');
    t.regex(await response.text(), /<title>page/);
  }
});

test('lets the page run its own scripts only, and no other page show it', async (t) => {
  const { url } = await planeWithDashboard(t);
  const { headers } = await fetch(url, { headers: browser });
  const policy = headers.get('content-security-policy') ?? '';
  t.false(policy.includes('unsafe'));
  for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
    t.true(policy.split('; ').includes(part), part);
  }
  t.is(headers.get('x-content-type-options'), 'nosniff');
  t.is(headers.get('referrer-policy'), 'no-referrer');
});

test('serves files whose names have a hash for a year, compressed if the browser takes that', async (t) => {
  const { url } = await planeWithDashboard(t);
  const response = await fetch(`${url}/assets/dashboard-ABC.js`);
  t.is(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.is(response.headers.get('content-encoding'), 'gzip');
  t.is(await response.text(), 'run()');
  const plain = await fetch(`${url}/assets/dashboard-ABC.js`, { headers: { 'accept-encoding': 'identity' } });
  t.is(plain.headers.get('content-encoding'), null);
  t.is(await plain.text(), 'run()');
});

/** Returns the status of a request whose path is sent as it is. */
async function statusOf(port: number, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ port, path, headers: browser }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .once('error', reject)
    .end();
  return await promise;
}

test('serves no file beside its own', async (t) => {
  const { port } = await planeWithDashboard(t);
  const paths = [
    '../secret.js',
    '..%2fsecret.js',
    '%2e%2e/secret.js',
    'notes.txt',
    'index.html',
    'no.js',
    '',
    '.',
    '..',
  ];
  for (const path of paths) t.is(await statusOf(port, `/assets/${path}`), 404, path);
  t.is(await statusOf(port, `/assets/${'a'.repeat(5000)}.js`), 404);
});

test('responds to programs with an error at a path that does not exist', async (t) => {
  const { url } = await planeWithDashboard(t);
  const response = await fetch(`${url}/agents`);
  t.is(response.status, 404);
  t.like(await response.json(), { code: 'unknown_route' });
  t.is((await fetch(`${url}/api/nothing`, { headers: browser })).status, 401);
});

test('serves no page if the dashboard is not built, and none without the option', async (t) => {
  const missing = await testPlane(t, { dashboard: join(tmpdir(), 'helm-agent-no-dashboard') });
  t.is((await fetch(missing.url, { headers: browser })).status, 404);
  const without = await testPlane(t);
  t.is((await fetch(without.url, { headers: browser })).status, 404);
});
