import { execFile } from 'node:child_process';
import type { PostRender } from '../render/manifest/post-render.ts';

/** Time limit of a post-renderer, in milliseconds. */
const timeout = 60_000;
/** Bytes that a post-renderer may print. */
const maxBuffer = 64 * 1024 * 1024;

/**
 * Returns functions that run the programs. A program reads manifests from stdin and prints what
 * replaces them. Its environment has only PATH, so that it does not get the settings of the agent.
 */
export function programPostRenderers(
  programs: Readonly<Record<string, string>>,
  path: string | undefined,
): ReadonlyMap<string, PostRender> {
  const env = path === undefined ? {} : { PATH: path };
  return new Map(Object.entries(programs).map(([name, file]) => [name, (manifests) => run(file, manifests, env)]));
}

/** Errors do not quote what the program prints, because it may have secrets of the manifests. */
function run(file: string, manifests: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout, maxBuffer, killSignal: 'SIGKILL' as const };
    const child = execFile(file, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`the program of the post-renderer ${reasonOf(error)}`));
    });
    // a program may end before it has read everything
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(manifests);
  });
}

function reasonOf({ code, killed }: { code?: string | number | null; killed?: boolean }): string {
  if (typeof code === 'number') return `failed with exit code ${code}`;
  if (typeof code === 'string') return `could not be run: ${code}`;
  return killed === true ? `took longer than ${timeout / 1000} seconds` : 'was ended by a signal';
}
