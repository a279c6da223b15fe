/**
 * Returns the environment with which a child process loads its modules as quickly as this one: it
 * uses the same compiled modules, and no unneeded ones of @kubernetes/client-node.
 */
export function quickStart(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return {
    NODE_OPTIONS: `--import=${new URL('needed-client-files.ts', import.meta.url).href}`,
    ...(folder !== undefined && { NODE_COMPILE_CACHE: folder }),
  };
}
