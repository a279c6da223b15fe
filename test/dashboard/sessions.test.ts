import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { hrefOf } from '../../src/dashboard/route/route.ts';
import { eventually } from '../support/eventually.ts';
import { barriers } from './support/barriers.ts';
import { type BrowserContext, browserTest, open, requireFit } from './support/opened.ts';
import { prompt, type ShellAgent, startShellAgent } from './support/shell-agent.ts';

interface Context extends BrowserContext {
  agent: ShellAgent;
}

const test = browserTest<Context>(async (context) => {
  context.agent = await startShellAgent(context.world, 'edge-shell', context.cleanup);
});

const terminal = hrefOf('terminal', { agent: 'edge-shell' }, { namespace: 'shop', name: 'web-0' });
const logs = hrefOf('logs', { agent: 'edge-shell' }, { namespace: 'shop', release: 'web' });

/** Sequences that would change the title, add a link, write the clipboard, and ask for replies. */
const hostile = [
  '\u001b]0;stolen\u0007',
  '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  `\u001b]52;c;${Buffer.from('stolen').toString('base64')}\u0007`,
  '\u001b[c\u001b[6n\u001b[21t\u001b]11;?\u0007',
  '<img src=x onerror=alert(1)>',
].join('');

/** Opens a terminal, and waits for its prompt. */
async function openTerminal(t: ExecutionContext<BrowserContext>, options: Parameters<typeof open>[2] = {}) {
  const page = await open(t, terminal, options);
  await page.getByLabel(/^Reason/).fill('ticket 4711');
  await page.getByRole('button', { name: 'Open the terminal' }).click();
  await page.locator('.xterm-rows').getByText(prompt.trim()).waitFor();
  return page;
}

/** Returns the key of the session that is open. */
async function openSession(t: ExecutionContext<Context>): Promise<string> {
  const { world } = t.context;
  const headers = { authorization: `Bearer ${world.token}` };
  const response = await fetch(`${world.url}/api/commands?type=exec_pod`, { headers });
  const { commands } = (await response.json()) as { commands: { key: string; state: string }[] };
  return commands.find(({ state }) => state !== 'done')?.key ?? '';
}

async function requireHarmless(t: ExecutionContext<BrowserContext>, page: Page): Promise<void> {
  t.regex(await page.title(), /^(?:Terminal|Session|Logs) [\w-]+ · helm-agent$/);
  t.is(await page.locator('main a[href*=evil], main img').count(), 0);
}

test('a terminal carries what is typed, can be watched and ended, and its recording plays', async (t) => {
  const own = await openTerminal(t);
  t.deepEqual(await barriers(own), []);
  await own.locator('.xterm-helper-textarea').focus();
  await own.keyboard.type('echo hello');
  await own.locator('.xterm-rows').getByText('echo hello').waitFor();
  const key = await openSession(t);
  const token = await t.context.world.tokenOf('watcher', [{ rights: ['read', 'exec'] }]);
  const watcher = await open(t, '/sessions', { token });
  await watcher
    .getByRole('table', { name: 'Sessions that are open' })
    .or(watcher.locator('[data-row]'))
    .first()
    .waitFor();
  await watcher.goto(t.context.world.url + hrefOf('session', { command: key }));
  await watcher.getByText('You watch it').waitFor();
  await own.getByText('watched by').waitFor();
  await own.keyboard.type(' again');
  await watcher.locator('.xterm-rows').getByText('again').waitFor();
  await watcher.getByRole('button', { name: 'End the session' }).click();
  await watcher.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
  await own.getByText(/watcher has ended the session/).waitFor();
  await watcher.getByRole('button', { name: 'Show the recording' }).click();
  await watcher.getByRole('heading', { name: 'Recording' }).waitFor();
  await watcher.locator('.xterm-rows').getByText('echo hello again').waitFor();
  await watcher.getByRole('button', { name: 'Play' }).waitFor();
  await watcher.getByText('ticket 4711').waitFor();
  t.deepEqual(await barriers(watcher), []);
  await watcher.getByRole('slider').fill('0');
  await watcher.locator('.xterm-rows').getByText('echo hello again').waitFor({ state: 'detached' });
  await watcher.getByLabel('Speed').selectOption('8');
  await watcher.getByRole('button', { name: 'Play' }).click();
  await watcher.locator('.xterm-rows').getByText('echo hello again').waitFor();
  await own.goto(`${t.context.world.url}/sessions`);
  await own.getByRole('heading', { name: 'No shell is open' }).waitFor();
  t.pass();
});

test('a shell and a recording that write hostile sequences change no title, add no link, and get no reply', async (t) => {
  const page = await openTerminal(t);
  await page.keyboard.insertText(`${hostile}end`);
  await page.locator('.xterm-rows').getByText(/end$/).first().waitFor();
  await requireHarmless(t, page);
  const key = await openSession(t);
  await page.keyboard.type('exit\n');
  await page.getByText('The program has ended').waitFor();
  await page.goto(t.context.world.url + hrefOf('session', { command: key }));
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await requireHarmless(t, page);
  await requireFit(t, page, 'the recording');
});

test('a terminal says why it cannot be opened', async (t) => {
  const reader = await t.context.world.tokenOf('reader', [{ rights: ['read'] }]);
  const page = await open(t, terminal, { token: reader });
  await page.getByRole('button', { name: 'Open the terminal' }).click();
  await page.getByRole('alert').getByText('forbidden').waitFor();
  const missing = hrefOf('terminal', { agent: 'edge-shell' }, { name: 'missing' });
  const other = await open(t, missing);
  await other.getByRole('button', { name: 'Open the terminal' }).click();
  await other.getByText('there is no pod missing').waitFor();
  t.pass();
});

test('logs are followed through a restart, filtered and paused, as text alone', async (t) => {
  const { world, agent } = t.context;
  agent.log('first line');
  agent.log(hostile);
  const page = await open(t, logs);
  const lines = page.getByRole('log');
  await lines.getByText('first line').waitFor();
  await lines.getByText('<img src=x onerror=alert(1)>').waitFor();
  await requireHarmless(t, page);
  t.deepEqual(await barriers(page), []);
  await world.restart();
  agent.log('after the restart');
  await lines.getByText('after the restart').waitFor();
  t.is(await lines.getByText('first line').count(), 1);
  await page.getByRole('button', { name: 'Pause' }).click();
  agent.log('while paused');
  await page.getByText('Paused, 1 newer').waitFor();
  t.is(await lines.getByText('while paused').count(), 0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await lines.getByText('while paused').waitFor();
  await page.getByRole('searchbox').fill('restart');
  await page.waitForURL(/q=restart/);
  await lines.getByText('while paused').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 360, height: 740 });
  await requireFit(t, page, 'logs');
});

test('logs that end with an error keep their lines, and are not called followed', async (t) => {
  const { world, agent } = t.context;
  agent.log('before the error');
  const page = await open(t, logs);
  const lines = page.getByRole('log');
  await lines.getByText('before the error').waitFor();
  await page.route('**/api/agents/*/commands', (route) =>
    route.fulfill({ status: 403, json: { code: 'forbidden', detail: 'not any more' } }),
  );
  await world.restart();
  await page.getByRole('alert').getByText('forbidden').waitFor();
  await page.getByRole('status').getByText('Not followed').waitFor();
  t.is(await lines.getByText('before the error').count(), 1);
});

test('logs are refused without the right', async (t) => {
  const token = await t.context.world.tokenOf('reader', [{ rights: ['read'] }]);
  const page = await open(t, logs, { token });
  await page.getByRole('alert').getByText('forbidden').waitFor();
  t.is(await page.getByText('Following', { exact: true }).count(), 0);
  await page.goto(`${t.context.world.url}/sessions`);
  await page.getByRole('heading', { name: 'There is no recording' }).waitFor();
  await eventually('the page has no buttons for it', async () => {
    await page.goto(t.context.world.url + hrefOf('agent', { agent: 'edge-shell' }));
    await page.getByText('Connected').first().waitFor();
    return (await page.getByRole('link', { name: 'Terminal' }).count()) === 0;
  });
  t.pass();
});
