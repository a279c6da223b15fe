import { tokenFile } from '../agent/connection/token-file.ts';
import type { ControlPlaneSettings } from '../cli/control-plane/settings.ts';
import { ControlPlane, openAgentsFile } from '../control-plane/index.ts';
import { processLogger } from './logger.ts';
import { stopSignal } from './stop-signal.ts';
import { version } from './version.ts';

/** Runs a control plane until the process gets a stop signal. */
export async function runControlPlane(settings: ControlPlaneSettings): Promise<void> {
  const { agentsFile, apiTokenFile, listenInsecure } = settings;
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL']);
  const agents = agentsFile === undefined ? undefined : await openAgentsFile(agentsFile, { log });
  const plane = new ControlPlane({
    authenticate: agents?.authenticate,
    apiToken: apiTokenFile === undefined ? undefined : tokenFile(apiTokenFile),
    insecure: listenInsecure,
    log,
    version,
  });
  const port = await plane.listen(settings.port, settings.host);
  log.info({ host: settings.host, port, version }, 'the control plane is listening');
  const signal = await stopSignal();
  log.info({ signal }, 'the control plane is stopping');
  await plane.close();
  agents?.close();
}
