// Makes pictures of the pages of the dashboard, light and dark, wide and narrow, with a simulated
// cluster. Those of the documentation are in docs/images/. Needs Chromium.
// Usage: npm run screenshots [-- FOLDER]
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hrefOf } from '../src/dashboard/route/route.ts';
import { openPage, startBrowser } from '../test/dashboard/support/browser.ts';
import { connectFleet } from '../test/dashboard/support/fleet.ts';
import { startShellAgent } from '../test/dashboard/support/shell-agent.ts';
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

const edges = Array.from({ length: 40 }, (_, index) => `edge-${String(index).padStart(2, '0')}`);
const outcomeOf = (agentId: string) => (agentId === 'edge-13' ? 'not_ready' : 'ok');
const differingOf = (agentId: string) => (agentId < 'edge-03' ? 'web-canary' : 'web');
cleanup.defer(await connectFleet(world.url, edges, { outcomeOf, differingOf }));
const payload = { releaseName: 'web', namespace: 'shop', chartName: 'web' };
const ownedApprovals = {
  approvals: [{ by: ['alice'], expires: new Date(Date.now() + 86_400_000).toISOString() }],
  secret: 'helm-agent/plan.4711',
};
await world.plane.rollouts.start({ id: 'web-2.0', agents: ['edge-*'], payload, soak: false, onFailure: 'pause' });
await world.plane.rollouts.start({ id: 'mail-1.4', agents: ['edge-0*'], payload: { ...payload, releaseName: 'mail' } });
const planned = { ...payload, releaseName: 'shop' };
await world.plane.rollouts.start({ id: 'shop-3.1', agents: ['edge-*'], payload: planned, plan: true });
const owned = { outcomeOf: () => 'approval_required' as const, approvals: ownedApprovals };
cleanup.defer(await connectFleet(world.url, ['shop-geneva'], owned));
const { id: ownedId } = await world.plane.rollouts.start({
  ...{ id: 'shop-4.0', agents: ['shop-geneva'], plan: true, soak: false },
  payload: { ...payload, releaseName: 'orders' },
});
const heldPlan = await holdPlan(ownedId);
const shell = await startShellAgent(world, 'edge-shell', cleanup);
for (let line = 1; line <= 60; line++) shell.log(`GET /orders/${1000 + line} 200 ${line % 7}.${line % 10} ms`);

const browser = await startBrowser();
cleanup.defer(() => browser.close());

/** Opens a terminal, types something, and leaves. Returns the key of the session. */
async function recordSession(): Promise<string> {
  const { page } = await openPage(browser, { token: world.token });
  await page.goto(world.url + hrefOf('terminal', { agent: 'edge-shell' }, { namespace: 'shop', name: 'web-0' }));
  await page.getByLabel(/^Reason/).fill('ticket 4711');
  await page.getByRole('button', { name: 'Open the terminal' }).click();
  await page.locator('.xterm-rows').getByText('web-0 $').first().waitFor();
  await page.keyboard.type('ls -l /etc/app\nps aux\nexit\n', { delay: 20 });
  await page.getByText('The program has ended').waitFor();
  await page.goto(`${world.url}/sessions`);
  const href = await page.locator('main table a').first().getAttribute('href');
  await page.context().close();
  return decodeURIComponent(href?.split('/').at(-1) ?? '');
}

/** Approves the plan of a rollout, and returns it when the policy of its owner holds it. */
async function holdPlan(id: string): Promise<string> {
  for await (const { type } of world.plane.rollouts.events(id, undefined, AbortSignal.timeout(60_000))) {
    if (type !== 'rollout') continue;
    const [{ stage, plan, group } = {}] = world.plane.rollouts.clusters(id);
    if (stage === 'held' && plan !== undefined) return plan;
    if (stage === 'planned' && group !== undefined) await world.plane.rollouts.approvePlans(id, [group]);
  }
  throw new Error('the rollout has made no plan');
}

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
  plans: { href: hrefOf('plans', {}), shows: '.rows' },
  approvals: { href: hrefOf('plan', { agent: 'shop-geneva', plan: heldPlan }), shows: '.copy' },
  audit: { href: hrefOf('audit', {}), shows: 'table' },
  tokens: { href: hrefOf('tokens', {}), shows: '.rows' },
  people: { href: hrefOf('people', {}), shows: '.empty' },
  rollouts: { href: hrefOf('rollouts', {}), shows: 'table' },
  rollout: { href: hrefOf('rollout', { rollout: 'web-2.0' }), shows: 'table' },
  'rollout-plans': { href: hrefOf('rollout', { rollout: 'shop-3.1' }), shows: '.fields' },
  'start-rollout': { href: hrefOf('startRollout', {}), shows: 'form' },
  logs: { href: hrefOf('logs', { agent: 'edge-shell' }, { namespace: 'shop', release: 'web' }), shows: '.log div' },
  terminal: { href: hrefOf('terminal', { agent: 'edge-shell' }, { namespace: 'shop', name: 'web-0' }), shows: 'form' },
  sessions: { href: hrefOf('sessions', {}), shows: 'table' },
  recording: { href: hrefOf('session', { command: await recordSession() }), shows: '.xterm-rows div' },
  connect: { href: hrefOf('connect', {}), shows: 'form' },
};

/** The pages whose wide pictures are in the documentation. */
const documented = new Set(['overview', 'rollout', 'release', 'failure']);

const isForDocs = process.argv.length === 2;
await mkdir(folder, { recursive: true });
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
