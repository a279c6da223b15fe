import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the barriers that axe finds on a page. Default of `rules`: all of its rules. */
export async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async (only) => {
    interface Checker {
      run(
        options: object,
      ): Promise<{ violations: { id: string; nodes: { failureSummary: string; html: string }[] }[] }>;
    }
    const { axe: checker } = globalThis as unknown as { axe: Checker };
    const { violations } = await checker.run(only ? { runOnly: only } : {});
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''} ${nodes[0]?.failureSummary ?? ''}`);
  }, rules);
}
