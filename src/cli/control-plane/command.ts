import { isLocalHost } from '../../net/local-host.ts';
import { requireFile, requireToken } from '../check-settings.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { requireServerTls } from '../server-tls-settings.ts';
import { givenSettings, readSettings, settingError, settingFlags } from '../settings.ts';
import { controlPlaneSchema, controlPlaneSettings, type ControlPlaneSettings } from './settings.ts';

export const controlPlaneCommand: Command<ProgramDependencies> = {
  use: 'control-plane',
  long: `Run a control plane: accept agents, and offer a REST API to command them.

To let other machines reach it, create the file with the credentials of agents
with "helm-agent agents add", and a file with a token for users.`,
  examples: ['--port 8088', '--host 0.0.0.0 --agents-file agents --api-token-file users.token --data /data/plane.db'],
  checkArguments: argumentCount('exactly', 0),
  flags: () => settingFlags(controlPlaneSettings),
  async run({ flags, context: dependencies }) {
    const given = givenSettings(controlPlaneSettings, flags);
    const settings = readSettings(controlPlaneSchema, controlPlaneSettings, given, dependencies.env);
    requireAgentsFile(settings, dependencies);
    await requireFile(controlPlaneSettings.agentsFile, settings.agentsFile, dependencies);
    await requireToken(controlPlaneSettings.apiTokenFile, settings.apiTokenFile, dependencies);
    await requireServerTls(settings);
    await dependencies.runControlPlane(settings).catch((error: unknown) => {
      throw explainListenError(error, (port) =>
        port === settings.healthPort
          ? { port: '--health-port', host: '--health-port' }
          : { port: '--port', host: '--host' },
      );
    });
  },
};

/** Checks that agents and users need credentials if other machines can reach the control plane. */
function requireAgentsFile(
  { host, agentsFile, apiTokenFile, listenInsecure }: ControlPlaneSettings,
  { env }: Pick<ProgramDependencies, 'env'>,
): void {
  if (isLocalHost(host) || listenInsecure) return;
  const reachable = `other machines can reach ${host}`;
  if (agentsFile === undefined) {
    const old = env['HELM_AGENT_TOKEN_FILE'] ? '; a token that all agents share is not supported' : '';
    const advice = 'create the file with helm-agent agents add, or allow any agent with --listen-insecure';
    throw settingError(controlPlaneSettings.agentsFile, `${reachable}, so agents need credentials: ${advice}${old}`);
  }
  if (apiTokenFile === undefined) {
    const advice = 'name a file with a random token, or allow any user with --listen-insecure';
    throw settingError(controlPlaneSettings.apiTokenFile, `${reachable}, so users need a token: ${advice}`);
  }
}
