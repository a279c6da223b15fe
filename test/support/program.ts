import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../src/bin/helm-agent.ts', import.meta.url));
const bundle = process.env['SUITE_PROGRAM'];

/**
 * The program, for tests that start it as a process: `npm test` bundles it once, because a bundle
 * loads faster than 1,000 files.
 */
export const program = bundle === undefined ? source : join(bundle, 'helm-agent.mjs');

/** Returns the module of a thread of the program, such as `worker-thread`. */
export function threadModule(name: 'render-worker' | 'worker-thread'): URL {
  return bundle === undefined
    ? new URL(`../../src/bin/${name}.ts`, import.meta.url)
    : new URL(`${name}.mjs`, `file://${bundle}/`);
}
