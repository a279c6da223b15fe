import type { Page } from 'playwright-core';
import { hrefOf } from '../../src/dashboard/route/route.ts';
import { rawAgent } from '../control-plane/support/raw-agent.ts';
import { eventually } from '../support/eventually.ts';
import { barriers } from './support/barriers.ts';
import { connectFleet } from './support/fleet.ts';
import { browserTest, open, requireFit } from './support/opened.ts';
import type { DashboardWorld } from './support/world.ts';

const test = browserTest();

/** Installs releases with these names in the cluster of an agent. */
async function installAll({ plane }: DashboardWorld, agentId: string, names: readonly string[]) {
  const install = (releaseName: string) => plane.install(agentId, { releaseName, namespace: 'shop', chartName: 'web' });
  await Promise.all(names.map((name) => install(name).result));
}

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

test('the overview has releases that fail, also after many others have succeeded, and says if there are more', async (t) => {
  const { world } = t.context;
  const outcomeOf = (id: string) => (id === 'fleet-bad' ? 'not_ready' : 'ok');
  t.teardown(await connectFleet(world.url, ['fleet-bad', 'fleet-good'], { outcomeOf }));
  const page = await open(t, '/');
  const failing = page.getByRole('list', { name: 'Failing releases' });
  await installAll(world, 'fleet-bad', ['first']);
  await installAll(world, 'fleet-good', numbered('good', 30));
  await failing.getByText('shop/first').waitFor();
  const more = page.getByRole('link', { name: 'commands that have failed' });
  await installAll(world, 'fleet-bad', numbered('bad', 19));
  await failing.getByText('shop/bad-18').waitFor();
  t.is(await failing.getByRole('listitem').count(), 20);
  t.is(await more.count(), 0);
  await installAll(world, 'fleet-bad', ['last']);
  await more.waitFor();
  t.is(await failing.getByRole('listitem').count(), 20);
  t.is(await more.getAttribute('href'), hrefOf('commands', {}, { outcome: 'failed' }));
  await requireFit(t, page, 'the overview');
});

test('what has not ended is shown, also if many newer commands have ended', async (t) => {
  const { world } = t.context;
  const capabilities = ['install_release', 'exec_pod'];
  const slowAgent = { agentId: 'fleet-slow', capabilities, streams: ['command'] };
  const { socket } = await rawAgent(world.url.replace('http:', 'ws:'), slowAgent);
  t.teardown(() => socket.terminate());
  t.teardown(await connectFleet(world.url, ['fleet-quick']));
  const slow = { releaseName: 'slow', namespace: 'shop', chartName: 'web' };
  world.plane.install('fleet-slow', slow).result.catch(() => undefined);
  const shell = { type: 'exec_pod', payload: { namespace: 'shop', name: 'web-0' } } as const;
  world.plane.send('fleet-slow', shell).result.catch(() => undefined);
  await installAll(world, 'fleet-quick', numbered('quick', 200));
  const page = await open(t, '/');
  await page.getByRole('region', { name: 'Running commands' }).getByText('shop/slow').waitFor();
  for (let sent = 0; sent < 1000; sent += 100) {
    await Promise.allSettled(numbered('shell', 100).map(() => world.plane.send('fleet-quick', shell).result));
  }
  await page.goto(`${world.url}/sessions`);
  await page.getByRole('region', { name: 'Sessions that are open' }).getByText('fleet-slow').waitFor();
  t.pass();
});

test('lists and pages of agents say once that the control plane is away, until it is back', async (t) => {
  const { world } = t.context;
  const page = await open(t, '/');
  const state = page.getByText('The control plane is not reachable');
  for (const href of ['/', '/plans', '/agents', hrefOf('agent', { agent: 'shop-berlin' })]) {
    await page.goto(world.url + href);
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    t.is(await state.count(), 0, href);
    await page.route('**/api/**', (route) => route.abort());
    await world.restart();
    await state.waitFor();
    t.is(await state.count(), 1, href);
    await requireFit(t, page, href);
    if (href === '/') t.deepEqual(await barriers(page), []);
    await page.unroute('**/api/**');
    await state.waitFor({ state: 'detached' });
  }
});

/** Hides a page as another tab does, or shows it again. */
async function setVisible(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

test('a page that is hidden holds no connection, and is up to date when it is shown again', async (t) => {
  const { world } = t.context;
  const page = await open(t, '/agents');
  const requests = new Set<unknown>();
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  await page.reload();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  t.true(requests.size > 0);
  await setVisible(page, 'hidden');
  await eventually('all requests have ended', () => requests.size === 0);
  t.teardown(await connectFleet(world.url, ['fleet-late']));
  await setVisible(page, 'visible');
  await page.getByText('fleet-late').waitFor();
});
