/**
 * Returns the environment with which a child process loads its modules as quickly as this one: it
 * uses the same compiled modules, no unneeded ones of @kubernetes/client-node, and in `npm test`
 * the bundled threads.
 */
export function quickStart(): Record<string, string> {
  const { NODE_COMPILE_CACHE, SUITE_PROGRAM } = process.env;
  const modules = ['needed-client-files.ts', '../../tools/suite/bundled-threads.ts'];
  return {
    NODE_OPTIONS: modules.map((path) => `--import=${new URL(path, import.meta.url).href}`).join(' '),
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(SUITE_PROGRAM !== undefined && { SUITE_PROGRAM }),
  };
}
