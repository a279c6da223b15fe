import type { Command } from 'commander';
import { requireToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { addSettings, readSettings } from '../settings.ts';
import { controlPlaneSchema, controlPlaneSettings } from './settings.ts';

/** Adds `control-plane`. */
export function addControlPlane(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('control-plane')
    .description('Run a control plane: accept agents, and offer a REST API to command them')
    .action(async (flags: Record<string, unknown>) => {
      const settings = readSettings(controlPlaneSchema, controlPlaneSettings, flags, dependencies.env);
      await requireToken(controlPlaneSettings.tokenFile, settings.tokenFile, dependencies);
      await requireToken(controlPlaneSettings.apiTokenFile, settings.apiTokenFile, dependencies);
      await dependencies.runControlPlane(settings).catch((error: unknown) => {
        throw explainListenError(error, { port: '--port', host: '--host' });
      });
    });
  addSettings(command, controlPlaneSettings);
  command.addHelpText(
    'after',
    `
Examples:
  helm-agent control-plane --port 8088
  helm-agent control-plane --host 0.0.0.0 --token-file agents.token --api-token-file users.token`,
  );
}
