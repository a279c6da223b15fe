import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens a URL in the browser of the user. Does nothing without a desktop. */
export function openBrowser(url: string, env: Environment, platform: NodeJS.Platform): void {
  const opener = openerOf(env, platform);
  if (opener === undefined) return;
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .once('error', () => undefined)
    .unref();
}

/** Returns the program that opens URLs; undefined if the user has no desktop. */
function openerOf({ DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION }: Environment, platform: NodeJS.Platform) {
  if (SSH_CONNECTION) return undefined;
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer';
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}
