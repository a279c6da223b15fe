import { tokenFile } from '../agent/connection/token-file.ts';
import type { ControlPlaneSettings } from '../cli/control-plane/settings.ts';
import { ControlPlane } from '../control-plane/index.ts';
import { processLogger } from './logger.ts';
import { stopSignal } from './stop-signal.ts';
import { version } from './version.ts';

/** Runs a control plane until the process gets a stop signal. */
export async function runControlPlane(settings: ControlPlaneSettings): Promise<void> {
  const { tokenFile: agentTokens, apiTokenFile: apiTokens, listenInsecure } = settings;
  const log = processLogger(process.env['HELM_AGENT_LOG_LEVEL']);
  const plane = new ControlPlane({
    agentToken: agentTokens === undefined ? undefined : tokenFile(agentTokens),
    apiToken: apiTokens === undefined ? undefined : tokenFile(apiTokens),
    insecure: listenInsecure,
    log,
    version,
  });
  const port = await plane.listen(settings.port, settings.host);
  log.info({ host: settings.host, port, version }, 'the control plane is listening');
  const signal = await stopSignal();
  log.info({ signal }, 'the control plane is stopping');
  await plane.close();
}
