import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { buildDashboard } from '../../tools/build-dashboard.ts';
import { providerWorld } from '../control-plane/sign-in/support/certified-provider.ts';
import { browserProgram, openPage, startBrowser } from './support/browser.ts';

test('a person signs in at a provider in the browser, returns to the view, and signs out', async (t) => {
  t.timeout(120_000);
  if (browserProgram === undefined) {
    t.pass('no browser is installed: apt-get install -y chromium');
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-dashboard-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await buildDashboard(folder);
  const { url, issuer } = await providerWorld(t, { dashboard: folder });
  const browser = await startBrowser();
  t.teardown(() => browser.close());
  const { page } = await openPage(browser);
  // the pages of the provider name fonts of other servers
  await page.route(
    ({ origin }) => origin !== url && origin !== issuer,
    (route) => route.abort(),
  );
  await page.goto(`${url}/agents?state=away`);
  await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
  await page.waitForURL((address) => address.origin === issuer);
  await page.locator('input[name=login]').fill('kim');
  await page.locator('input[name=password]').fill('x');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${url}/agents?state=away`);
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  await page.getByText('kim@example.com').waitFor();
  t.is(await page.evaluate<string>('document.cookie'), '', 'scripts cannot read the session');
  await page.reload();
  await page.getByText('kim@example.com').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API token').waitFor();
  await page.reload();
  await page.getByLabel('API token').waitFor();
});
