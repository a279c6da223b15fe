import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program in single files, for tests of which files it loads. */
export const sourceProgram = fileURLToPath(new URL('../../src/bin/helm-agent.ts', import.meta.url));
const bundle = process.env['SUITE_PROGRAM'];

/**
 * The program, for tests that start it as a process: `npm test` bundles it once, because a bundle
 * loads faster than 1,000 files.
 */
export const program = bundle === undefined ? sourceProgram : join(bundle, 'helm-agent.mjs');

/** Returns the module of a thread of the program, such as `worker-thread`. */
export function threadModule(name: 'condition-thread' | 'render-worker' | 'worker-thread'): URL {
  return bundle === undefined
    ? new URL(`../../src/bin/${name}.ts`, import.meta.url)
    : new URL(`${name}.mjs`, `file://${bundle}/`);
}

/** Modules of tests that are started as a process of their own, by the name of their bundle. */
export const childModules = {
  'resumed-process': 'test/operation/resumption/resumed-process.ts',
  'mortal-plane': 'test/control-plane/support/mortal-plane.ts',
  'pod-texts': 'test/kube/pod-texts.ts',
} as const;

/** Returns the file of a module that is started as a process. */
export function childModule(name: keyof typeof childModules): string {
  if (bundle !== undefined) return join(bundle, `${name}.mjs`);
  return fileURLToPath(new URL(`../../${childModules[name]}`, import.meta.url));
}
