import { isLocalHost } from '../../net/local-host.ts';
import { requireFile, requireToken } from '../check-settings.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { requireServerTls } from '../server-tls-settings.ts';
import { givenSettings, readSettings, settingError, settingFlags } from '../settings.ts';
import { controlPlaneSchema, type ControlPlaneSettings, controlPlaneSettings } from './settings.ts';

export const controlPlaneCommand: Command<ProgramDependencies> = {
  use: 'control-plane',
  long: `Run a control plane: accept agents, and offer a REST API to command them.

To let other machines reach it, name a file with a token for users. Agents that
these invite with "helm-agent ctl enrol" connect with a key of their own; give
others tokens with "helm-agent agents add".`,
  examples: [
    '--port 8088',
    '--host 0.0.0.0 --api-token-file users.token --data /data/plane.db',
    '--database-url-file database.url --replica-address 10.0.0.5:8089',
  ],
  checkArguments: argumentCount('exactly', 0),
  flags: () => settingFlags(controlPlaneSettings),
  async run({ flags, context: dependencies }) {
    const given = givenSettings(controlPlaneSettings, flags);
    const settings = readSettings(controlPlaneSchema, controlPlaneSettings, given, dependencies.env);
    requireApiToken(settings);
    await requireFile(controlPlaneSettings.agentsFile, settings.agentsFile, dependencies);
    await requireFile(controlPlaneSettings.databaseUrlFile, settings.databaseUrlFile, dependencies);
    await requireToken(controlPlaneSettings.apiTokenFile, settings.apiTokenFile, dependencies);
    await requireFile(controlPlaneSettings.signInFile, settings.signInFile, dependencies);
    await requireServerTls(settings);
    await dependencies.runControlPlane(settings).catch((error: unknown) => {
      throw explainListenError(error, (port) => {
        if (port === settings.healthPort) return { port: '--health-port', host: '--health-port' };
        return { port: port === settings.replicaAddress?.port ? '--replica-address' : '--port', host: '--host' };
      });
    });
  },
};

/** Checks that users need a token if other machines can reach the control plane. */
function requireApiToken({ host, apiTokenFile, signInFile, listenInsecure }: ControlPlaneSettings): void {
  if (isLocalHost(host) || listenInsecure || apiTokenFile !== undefined || signInFile !== undefined) return;
  const advice = 'name a file with a random token, or allow any user with --listen-insecure';
  const problem = `other machines can reach ${host}, so users need a token: ${advice}`;
  throw settingError(controlPlaneSettings.apiTokenFile, problem);
}
