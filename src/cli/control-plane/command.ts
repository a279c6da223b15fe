import type { Command } from 'commander';
import { isLocalHost } from '../../protocol/local-host.ts';
import { requireFile, requireToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { addSettings, readSettings, settingError } from '../settings.ts';
import { controlPlaneSchema, controlPlaneSettings, type ControlPlaneSettings } from './settings.ts';

/** Adds `control-plane`. */
export function addControlPlane(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('control-plane')
    .description('Run a control plane: accept agents, and offer a REST API to command them')
    .action(async (flags: Record<string, unknown>) => {
      const settings = readSettings(controlPlaneSchema, controlPlaneSettings, flags, dependencies.env);
      requireAgentsFile(settings, dependencies);
      await requireFile(controlPlaneSettings.agentsFile, settings.agentsFile, dependencies);
      await requireToken(controlPlaneSettings.apiTokenFile, settings.apiTokenFile, dependencies);
      await dependencies.runControlPlane(settings).catch((error: unknown) => {
        throw explainListenError(error, () => ({ port: '--port', host: '--host' }));
      });
    });
  addSettings(command, controlPlaneSettings);
  command.addHelpText(
    'after',
    `
Examples:
  helm-agent control-plane --port 8088
  helm-agent agents add edge-1 --agents-file agents > edge-1.token
  helm-agent control-plane --host 0.0.0.0 --agents-file agents --api-token-file users.token --data /data/plane.db`,
  );
}

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
