import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { Browser, Page } from 'playwright-core';
import { browserProgram, openPage, type PageOptions, startBrowser } from './browser.ts';
import { type DashboardWorld, dashboardWorld } from './world.ts';

/** The context of tests in a browser. */
export interface BrowserContext {
  browser: Browser;
  world: DashboardWorld;
  cleanup: AsyncDisposableStack;
}

/**
 * Returns a test function for tests in a browser, one after the other, with a control plane for all
 * of them. Without a browser, they are skipped.
 */
export function browserTest<Context extends BrowserContext>(prepare?: (context: Context) => Promise<void>) {
  const { serial } = anyTest as TestFn<Context>;
  if (browserProgram === undefined) {
    anyTest('no page is tested, because no browser is installed: apt-get install -y chromium', (t) => t.pass());
    return serial.skip;
  }
  serial.before(async (t) => {
    t.timeout(180_000);
    const cleanup = new AsyncDisposableStack();
    t.context.cleanup = cleanup;
    t.context.browser = await startBrowser();
    cleanup.defer(() => t.context.browser.close());
    t.context.world = await dashboardWorld(cleanup);
    await prepare?.(t.context);
  });
  serial.after.always((t) => t.context.cleanup.disposeAsync());
  return serial;
}

/** Opens a page that must report no errors. */
export async function open(
  t: ExecutionContext<BrowserContext>,
  href: string,
  options: PageOptions = {},
): Promise<Page> {
  t.timeout(120_000);
  const { browser, world } = t.context;
  const { page, errors } = await openPage(browser, { token: world.token, ...options });
  t.teardown(async () => {
    await page.context().close();
    if (errors.length > 0) throw new Error(`the page has reported errors: ${errors.join('; ')}`);
  });
  await page.goto(world.url + href);
  return page;
}

/** Returns the texts of a page that its layout cuts, but not long ones, such as paths. */
const cutTexts = `
  Array.from(document.querySelectorAll('nav, nav a, th, td, td *, .name, .badge-text, button, dd, h1, h2, label'))
    .filter((element) => element.checkVisibility() && element.textContent.length < 25)
    .filter(({ clientWidth, clientHeight, scrollWidth, scrollHeight }) =>
      clientWidth > 2 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 3))
    .map((element) => element.tagName + ': ' + element.textContent)`;

/** Fails if a text of a page does not have the room that it needs. */
export async function requireWholeTexts(t: ExecutionContext<BrowserContext>, page: Page, about: string): Promise<void> {
  t.deepEqual(await page.evaluate<string[]>(cutTexts), [], `cut texts of ${about}`);
}

/** Fails if a page is wider than its window. */
export async function requireFit(t: ExecutionContext<BrowserContext>, page: Page, about: string): Promise<void> {
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  t.true(overflow <= 0, `${about}: ${overflow} pixels too wide`);
}
