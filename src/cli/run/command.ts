import type { Command } from 'commander';
import { requireFile, requireFolder, requireToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { requireSecureTransport } from '../insecure-transport.ts';
import { explainListenError } from '../listen-error.ts';
import { addSettings, readSettings } from '../settings.ts';
import { runSchema, runSettings } from './settings.ts';

/** Adds `run`. */
export function addRun(program: Command, dependencies: ProgramDependencies): void {
  const command = program
    .command('run')
    .description('Run an agent: connect to a control plane or listen, and perform commands on a cluster')
    .action(async (flags: Record<string, unknown>) => {
      const settings = readSettings(runSchema(dependencies.hostName), runSettings, flags, dependencies.env);
      for (const url of settings.controlPlane ?? [])
        requireSecureTransport(runSettings.controlPlane, { ...settings, url });
      await requireFile(runSettings.controlPlaneCa, settings.controlPlaneCa, dependencies);
      await requireFile(runSettings.clientCertificate, settings.clientCertificate, dependencies);
      await requireFile(runSettings.clientKey, settings.clientKey, dependencies);
      await requireToken(runSettings.tokenFile, settings.tokenFile, dependencies);
      await requireFile(runSettings.kubeconfig, settings.kubeconfig, dependencies);
      await requireFolder(runSettings.localCharts, settings.localCharts, dependencies);
      await dependencies.runAgent(settings).catch((error: unknown) => {
        throw explainListenError(error, (port) => {
          const flag = port === settings.healthPort ? '--health-port' : '--listen';
          return { port: flag, host: flag };
        });
      });
    });
  addSettings(command, runSettings);
  command.addHelpText(
    'after',
    `
Examples:
  helm-agent run --control-plane wss://deploy.example/agent --token-file /etc/helm-agent/token --agent-id edge-1
  helm-agent run --control-plane ws://127.0.0.1:8088 --kubeconfig ~/.kube/config --local-charts ./charts
  helm-agent run --listen 8089`,
  );
}
