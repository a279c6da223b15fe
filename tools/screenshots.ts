// Makes pictures of the pages of the dashboard, light and dark, wide and narrow, with a simulated
// cluster. Those of the documentation are in docs/images/. Needs Chromium.
// Usage: npm run screenshots [-- FOLDER]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hrefOf } from '../src/dashboard/route/route.ts';
import { openPage, startBrowser } from '../test/dashboard/support/browser.ts';
import { connectMany, tellStory } from '../test/dashboard/support/story.ts';
import { dashboardWorld } from '../test/dashboard/support/world.ts';

const [folder = 'docs/images'] = process.argv.slice(2);

await using cleanup = new AsyncDisposableStack();
const world = await dashboardWorld(cleanup);
const sites = [
  'amsterdam',
  'hamburg',
  'leipzig',
  'lyon',
  'oslo',
  'paris',
  'porto',
  'prague',
  'turin',
  'vienna',
  'zurich',
];
const disconnect = await connectMany(
  world.url,
  sites.map((site) => `shop-${site}`),
);
cleanup.defer(disconnect);
const story = await tellStory(world);
await world.tokenOf('deploys@example.com', [{ rights: ['read', 'deploy', 'act'], agents: ['shop-*'] }]);
await world.tokenOf('ci', [{ rights: ['deploy'], namespaces: ['shop'] }]);

const place = { agent: 'shop-berlin', namespace: 'shop', release: 'web' };
const pages: Record<string, { href: string; shows: string }> = {
  overview: { href: hrefOf('overview', {}), shows: 'h2' },
  agents: { href: hrefOf('agents', {}), shows: 'table' },
  agent: { href: hrefOf('agent', { agent: 'shop-berlin' }), shows: 'table' },
  release: { href: hrefOf('release', place), shows: '.rows' },
  revisions: { href: hrefOf('release', place, { tab: 'revisions' }), shows: '.rows' },
  values: { href: hrefOf('release', place, { tab: 'values', from: '1', to: '3' }), shows: '.code' },
  manifest: { href: hrefOf('release', place, { tab: 'manifest', from: '1', to: '2' }), shows: '.code' },
  commands: { href: hrefOf('commands', {}), shows: 'table' },
  command: { href: hrefOf('command', { command: story.upgrade }), shows: '.rows' },
  failure: { href: hrefOf('command', { command: story.failed }), shows: '.evidence' },
  plan: { href: hrefOf('command', { command: story.plan }), shows: '.rows' },
  plans: { href: hrefOf('plans', {}), shows: 'table' },
  audit: { href: hrefOf('audit', {}), shows: 'table' },
  tokens: { href: hrefOf('tokens', {}), shows: '.rows' },
  connect: { href: hrefOf('connect', {}), shows: 'form' },
};

/** The pages whose wide pictures are in the documentation. */
const documented = new Set(['overview', 'agents', 'release', 'failure']);

const isForDocs = process.argv.length === 2;
await mkdir(folder, { recursive: true });
const browser = await startBrowser();
cleanup.defer(() => browser.close());
for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of isForDocs ? [1280] : [1280, 360]) {
    const { page, errors } = await openPage(browser, {
      ...{ colorScheme, width, token: world.token },
      height: width === 360 ? 740 : 800,
    });
    for (const [name, { href, shows }] of Object.entries(pages)) {
      if (isForDocs && !documented.has(name)) continue;
      await page.goto(world.url + href);
      await page.waitForSelector(`main ${shows}`);

      const file = join(folder, `${name}-${colorScheme}${isForDocs ? '' : `-${width}`}.png`);
      await page.screenshot({ path: file, scale: 'css' });
      console.log(file);
    }
    if (errors.length > 0) throw new Error(`the pages have reported errors: ${errors.join('; ')}`);
    await page.context().close();
  }
}
