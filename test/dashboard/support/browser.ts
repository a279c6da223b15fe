import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where Debian, and Google for Linux, install the browser. */
const places = ['/usr/bin/chromium', '/usr/bin/google-chrome'];

/** The program of the browser; undefined if none is installed. */
export const browserProgram = places.find((place) => existsSync(place));

/** Starts a browser. Throws an error if none is installed. */
export async function startBrowser(): Promise<Browser> {
  if (browserProgram === undefined) throw new Error('install a browser: apt-get install -y chromium');
  // a container has no user namespaces for the sandbox of the browser, and little shared memory
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--force-color-profile=srgb'];
  return await chromium.launch({ executablePath: browserProgram, args });
}

/** A page, and the errors that it has reported: of scripts, and of its security policy. */
export interface WatchedPage {
  page: Page;
  errors: string[];
}

export interface PageOptions {
  /** Default: none; the page has to sign in if it needs one. */
  token?: string | undefined;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

/** Opens a page in a context of its own. */
export async function openPage(
  browser: Browser,
  { token, width = 1280, height = 900, colorScheme = 'light' }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' },
  });
  if (token !== undefined) {
    await context.addInitScript((given) => sessionStorage.setItem('helm-agent-token', given), token);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  return { page, errors };
}
