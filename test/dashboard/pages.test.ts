import { once } from 'node:events';
import { hrefOf } from '../../src/dashboard/route/route.ts';
import { testRelease } from '../agent/support/release.ts';
import { installed, rawAgent } from '../control-plane/support/raw-agent.ts';
import { eventually } from '../support/eventually.ts';
import { barriers } from './support/barriers.ts';
import { type BrowserContext, browserTest, open, requireFit, requireWholeTexts } from './support/opened.ts';
import { type Story, tellStory } from './support/story.ts';

interface Context extends BrowserContext {
  story: Story;
}

const place = { agent: 'shop-berlin', namespace: 'shop', release: 'web' };

const test = browserTest<Context>(async (context) => {
  context.story = await tellStory(context.world);
});

test('a token opens the page, a wrong one does not, and signing out ends it', async (t) => {
  const page = await open(t, '/agents', { token: undefined });
  await page.getByLabel('API token').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The token is wrong').waitFor();
  await page.getByLabel('API token').fill(t.context.world.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  t.false(page.url().includes(t.context.world.token));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API token').waitFor();
});

test('the overview has the agents by state and what has ended', async (t) => {
  const page = await open(t, '/');
  await page.getByRole('link', { name: /Connected 1/ }).waitFor();
  await page.getByRole('region', { name: 'Commands that have ended' }).getByText('install release').waitFor();
  t.is(await page.getByText('release history').count(), 0);
});

test('lists of commands say how each has ended, and can show those that failed', async (t) => {
  const page = await open(t, '/');
  const ended = page.getByRole('region', { name: 'Commands that have ended' });
  await ended
    .getByRole('row', { name: /upgrade release/ })
    .first()
    .getByText('Failed')
    .waitFor();
  await ended
    .getByRole('row', { name: /install release/ })
    .getByText('Succeeded')
    .waitFor();
  await page.goto(`${t.context.world.url}/commands`);
  await page.getByLabel('Outcome').selectOption('failed');
  t.regex(page.url(), /outcome=failed/);
  await page.locator('tbody .badge.good').first().waitFor({ state: 'detached' });
  await page.locator('tbody .badge.bad').first().waitFor();
  t.is(await page.locator('tbody .badge:not(.bad)').count(), 0);
});

test('a release shows its resources, its revisions, and what differs between two, without secrets', async (t) => {
  const page = await open(t, hrefOf('release', place));
  await page.getByRole('list', { name: 'Resources' }).getByText('Deployment').waitFor();
  await page.getByRole('link', { name: 'Revisions' }).click();
  await page.getByText('Revision 3').waitFor();
  await page.goto(t.context.world.url + hrefOf('release', place, { tab: 'values', from: '1', to: '2' }));
  const changes = page.getByRole('region', { name: 'differences of the values' });
  await changes.getByText('replicas: 2').waitFor();
  const text = await page.locator('main').innerText();
  t.regex(text, /password: '\*\*\*'/);
  t.false(text.includes('hunter2'));
});

test('a release page shows a new revision, and watches again when a watch has ended by its timeout', async (t) => {
  const { world } = t.context;
  const capabilities = ['install_release', 'release_history', 'watch_release'];
  const about = { agentId: 'edge-release', capabilities };
  const agent = await rawAgent(world.url.replace('http:', 'ws:'), about);
  t.teardown(() => agent.socket.terminate());
  const answered = new Set<string>();
  /** Returns the key of the next command of a type. */
  const next = async (wanted: string) => {
    for (;;) {
      const found = agent.packets.find(({ type, key = '' }) => type === wanted && !answered.has(key));
      if (found?.key !== undefined) {
        answered.add(found.key);
        return found.key;
      }
      await once(agent.socket, 'message');
    }
  };
  const answerHistory = async (version: number) =>
    agent.send('result', { ok: true, releases: [testRelease('web', { version })] }, await next('release_history'));
  const page = await open(t, hrefOf('release', { ...place, agent: 'edge-release' }));
  await answerHistory(1);
  const resources = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'late', status: 'Current' }];
  const watched = { ok: true, release: testRelease('web'), resources: [] };
  agent.send('result', watched, await next('watch_release'));
  const watch = await next('watch_release');
  const status = { seq: 1, step: 'watch', state: 'running', time: '2026-01-02T03:04:05.000Z', resources };
  agent.send('status', status, watch);
  await page.getByText('late', { exact: true }).waitFor();
  const payload = { releaseName: 'web', namespace: 'shop', chartName: 'web' };
  world.plane.send('edge-release', { type: 'install_release', payload }).result.catch(() => undefined);
  agent.send('result', installed, await next('install_release'));
  await answerHistory(7);
  await page.locator('dd').getByText('7', { exact: true }).waitFor();
  t.pass();
});

test('a failed command shows its steps, its error and the evidence', async (t) => {
  const page = await open(t, hrefOf('command', { command: t.context.story.failed }));
  await page.getByText('Failed', { exact: true }).first().waitFor();
  await page.getByText('not_ready').waitFor();
  await page.getByRole('heading', { name: 'Evidence' }).waitFor();
  t.regex(await page.locator('main').innerText(), /Failed to pull image/);
});

test('a rollback asks first, and then leads to the command', async (t) => {
  const page = await open(t, hrefOf('release', place, { tab: 'revisions' }));
  await page.getByRole('button', { name: 'Roll back' }).last().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('heading', { name: 'rollback release' }).waitFor();
  await page.getByText('Succeeded').waitFor();
  t.pass();
});

test('a user who may not change a release is refused, and told why', async (t) => {
  const token = await t.context.world.tokenOf('reader', [{ rights: ['read'] }]);
  const page = await open(t, hrefOf('release', place), { token });
  await page.getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('alert').getByText('forbidden').waitFor();
  await page
    .getByRole('dialog')
    .getByText(/needs the right "deploy"/)
    .waitFor();
  await page.goto(t.context.world.url + '/tokens');
  await page.getByText(/is for administrators/).waitFor();
  await page.goto(t.context.world.url + '/audit');
  await page.getByText(/is for administrators/).waitFor();
  t.pass();
});

test('someone who may see one namespace finds its releases', async (t) => {
  const token = await t.context.world.tokenOf('shop', [{ rights: ['read'], namespaces: ['shop'] }]);
  const page = await open(t, hrefOf('agent', { agent: place.agent }), { token });
  await page.getByText(/in all namespaces/).waitFor();
  await page.getByLabel('Namespace').fill('shop');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'web' }).waitFor();
  t.regex(page.url(), /namespace=shop/);
});

test('a plan shows what it changes, and is applied after it is approved', async (t) => {
  const page = await open(t, hrefOf('plans', {}));
  const { world } = t.context;
  const plan = world.plane.plan(place.agent, {
    ...{ releaseName: 'web', namespace: 'shop', chartName: 'web', action: 'upgrade', values: { replicas: 4 } },
  });
  await plan.result;
  await page.goto(world.url + hrefOf('command', { command: plan.key }));
  await page.getByText('spec.replicas').waitFor();
  await page.getByRole('button', { name: 'Approve and apply' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply the plan' }).click();
  await page.getByRole('heading', { name: 'apply plan' }).waitFor();
  await page.getByText('Succeeded').waitFor();
  t.pass();
});

test('a command is followed live, through a restart of the control plane, until it is cancelled', async (t) => {
  const { world } = t.context;
  const agent = await rawAgent(world.url.replace('http:', 'ws:'), { agentId: 'edge-live' });
  t.teardown(() => agent.socket.terminate());
  const { key } = world.plane.send('edge-live', {
    type: 'install_release',
    payload: { releaseName: 'a', chartName: 'c' },
  });
  const page = await open(t, hrefOf('command', { command: key }));
  await agent.packet('install_release');
  agent.send('accepted', { durable: true }, key);
  const status = (seq: number, step: string) => ({ seq, step, state: 'running', time: '2026-01-02T03:04:05.000Z' });
  agent.send('status', status(1, 'render'), key);
  await page.getByText('render', { exact: true }).waitFor();
  await world.restart();
  const again = await rawAgent(world.url.replace('http:', 'ws:'), { agentId: 'edge-live', durable: true });
  t.teardown(() => again.socket.terminate());
  again.send('status', status(2, 'wait'), key);
  await page.getByText('wait', { exact: true }).waitFor();
  again.send('result', { ok: false, error: { code: 'cancelled', message: 'someone has cancelled it' } }, key);
  await page.getByText('someone has cancelled it').waitFor();
  t.is(await page.getByText('render', { exact: true }).count(), 1);
});

test('a token is created, shown once, and revoked', async (t) => {
  const page = await open(t, hrefOf('tokens', {}));
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByLabel('Name of the person or program').fill('ada@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const token = (await page.getByLabel('The token').locator('pre').innerText()).trim();
  t.truthy(t.context.world.plane.tokens.find(token));
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'ada@example.com' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  t.is(t.context.world.plane.tokens.find(token), undefined);
});

test('a dialog returns the focus to the button that opened it', async (t) => {
  const page = await open(t, hrefOf('tokens', {}));
  const create = page.getByRole('button', { name: 'Create a token' });
  const isFocused = async () => (await page.locator(':focus').innerText()) === 'Create a token';
  await create.click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.true(await isFocused());
  await create.click();
  await page.getByLabel('Name of the person or program').fill('mia@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.true(await isFocused());
});

test('tabs say what their pages are about, and a link to the same page is no step back', async (t) => {
  const page = await open(t, '/');
  const titleIs = (title: string) =>
    eventually(`the title is ${title}`, async () => (await page.title()) === `${title} · helm-agent`);
  await titleIs('Overview');
  for (let times = 0; times < 2; times++) {
    await page.getByLabel('Views').getByRole('link', { name: 'Agents' }).click();
    await titleIs('Agents');
  }
  await page.goBack();
  await titleIs('Overview');
  t.is(new URL(page.url()).pathname, '/');
});

test('a session that does not exist, or that one may not see, is not shown as one that has ended', async (t) => {
  const page = await open(t, hrefOf('session', { command: 'nothing' }));
  await page.getByRole('heading', { name: 'There is no such session' }).waitFor();
  t.is(await page.getByText('Recording', { exact: true }).count(), 0);
});

test('a token that is being created is shown, also if someone presses Esc meanwhile', async (t) => {
  const page = await open(t, hrefOf('tokens', {}));
  const held = Promise.withResolvers<undefined>();
  await page.route('**/api/tokens', async (route) => {
    if (route.request().method() === 'POST') await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByLabel('Name of the person or program').fill('eve@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  t.true(await page.getByRole('button', { name: 'Cancel' }).isDisabled());
  held.resolve(undefined);
  const token = (await page.getByLabel('The token').locator('pre').innerText()).trim();
  t.truthy(t.context.world.plane.tokens.find(token));
});

test('the audit log keeps its entries when it is refused', async (t) => {
  const page = await open(t, '/audit');
  const rows = page.getByRole('table').getByRole('row');
  await rows.nth(1).waitFor();
  await page.route('**/api/audit/events*', (route) =>
    route.fulfill({ status: 403, json: { code: 'forbidden', detail: 'not any more' } }),
  );
  await t.context.world.restart();
  await page.getByRole('alert').getByText('forbidden').waitFor();
  t.true((await rows.count()) > 1);
});

test('a cluster is invited, and the page says what to run and that it waits', async (t) => {
  const page = await open(t, hrefOf('connect', {}));
  await page.getByLabel('Name of the cluster').fill('edge-new');
  await page.getByLabel('Labels').fill('site=berlin');
  await page.getByRole('button', { name: 'Invite' }).click();
  const command = await page.getByLabel('Command').innerText();
  t.regex(command, /--set-string agentId=edge-new/);
  t.regex(command, /enrolment\.token=hae_/);
  await page.getByText('Invited').waitFor();
});

test('keys search, move through rows, open one, and show help', async (t) => {
  const page = await open(t, hrefOf('agents', {}));
  await page.getByRole('link', { name: 'shop-berlin' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('shop-b');
  await page.waitForURL(/q=shop-b/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/agents\/shop-berlin$/);
  await page.goBack();
  await page.waitForURL(/q=shop-b/);
  t.is(await page.getByRole('searchbox').inputValue(), 'shop-b');
});

test('on a slow line, a page says that it loads, comes within seconds, and shows changes', async (t) => {
  const { world } = t.context;
  const page = await open(t, '/nothing');
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  // as on a mobile network of the third generation
  const bytesPerSecond = 50_000;
  const speed = { downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond };
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 400, ...speed });
  await page.goto(`${world.url}/agents`);
  await page.getByRole('status').getByText('Loading').waitFor();
  await page.getByRole('link', { name: 'shop-berlin' }).waitFor();
  const agent = await rawAgent(world.url.replace('http:', 'ws:'), { agentId: 'edge-slow' });
  t.teardown(() => agent.socket.terminate());
  await page.getByRole('link', { name: 'edge-slow' }).waitFor();
  await page.getByRole('link', { name: 'Commands' }).click();
  await page.getByRole('table').getByText('install release').first().waitFor();
  t.pass();
});

const hostileNames = {
  releaseName: '<img src=x onerror=alert(1)>',
  sentBy: `\u202egnp.exe${'x'.repeat(240)}`,
  message: `<script>alert(1)</script>\n${'e' + '\u0301'.repeat(200)}\n${'w'.repeat(5000)}`,
};

test('names and notes of agents run no script and break no layout', async (t) => {
  const { world } = t.context;
  const id = 'x'.repeat(253);
  const agent = await rawAgent(world.url.replace('http:', 'ws:'), { agentId: id, version: '<b>1</b>' });
  t.teardown(() => agent.socket.terminate());
  const { key } = world.plane.send(id, {
    type: 'install_release',
    payload: { releaseName: 'web', chartName: 'c' },
    sentBy: 'x'.repeat(256),
  });
  await agent.packet('install_release');
  agent.send('status', { seq: 1, step: hostileNames.releaseName, state: 'running', time: 'never' }, key);
  agent.send('result', { ok: false, error: { code: '</bdi><h1>', message: hostileNames.message } }, key);
  for (const width of [360, 1280]) {
    const page = await open(t, hrefOf('command', { command: key }), { width });
    await page.getByText(hostileNames.releaseName).waitFor();
    for (const href of [undefined, '/agents', '/', hrefOf('agent', { agent: id }), '/commands']) {
      if (href !== undefined) await page.goto(world.url + href);
      await page.locator('main h1').waitFor();
      await requireFit(t, page, `${href ?? 'command'} at ${width}`);
    }
    t.is(await page.locator('main img, main script').count(), 0);
  }
});

test('no page has a barrier that axe finds, light or dark, or cuts a text on a small screen', async (t) => {
  const { story, world } = t.context;
  const page = await open(t, '/');
  const hrefs = [
    ...['/', '/agents', '/commands', '/plans', '/audit', '/tokens', '/people', '/connect', '/nothing'],
    ...['/rollouts', '/rollouts/unknown', '/start-rollout', '/start-rollout?tab=json', '/sessions'],
    ...[hrefOf('terminal', { agent: place.agent }), hrefOf('logs', { agent: place.agent })],
    ...['', 'revisions', 'values', 'manifest'].map((tab) => hrefOf('release', place, { tab })),
    ...['', 'commands', 'events', 'abilities'].map((tab) => hrefOf('agent', { agent: place.agent }, { tab })),
    ...[story.failed, story.plan, story.upgrade].map((command) => hrefOf('command', { command })),
  ];
  for (const href of hrefs) {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(world.url + href);
    await page.locator('main h1').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    t.deepEqual(await barriers(page), [], href);
    await page.setViewportSize({ width: 360, height: 740 });
    await requireFit(t, page, href);
    await requireWholeTexts(t, page, href);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    t.deepEqual(await barriers(page, ['color-contrast']), [], `${href}, dark`);
  }
});
