import { resolve } from 'node:path';
import type { SandboxSettings } from '../cli/sandbox/settings.ts';
import { removeKubeconfig, requireFreePath, writeKubeconfig } from '../compose/sandbox-kubeconfig.ts';
import { stopSignal } from '../compose/stop-signal.ts';
import { processHost } from '../render/process-host.ts';
import { startSandbox } from '../sandbox/sandbox.ts';

/**
 * Runs the sandbox until the process gets a stop signal. Writes its kubeconfig, calls `ready`, and
 * removes the file in the end.
 */
export async function runSandbox(
  settings: SandboxSettings,
  ready: (url: string, kubeconfig: string) => void,
): Promise<void> {
  const file = resolve(settings.kubeconfig);
  await requireFreePath(file);
  const sandbox = await startSandbox({ host: processHost(), address: settings.host, port: settings.port });
  try {
    const stopped = stopSignal();
    await writeKubeconfig(file, sandbox.kubeconfig);
    ready(sandbox.url, file);
    await stopped;
  } finally {
    await removeKubeconfig(file, sandbox.kubeconfig);
    await sandbox.close();
  }
}
