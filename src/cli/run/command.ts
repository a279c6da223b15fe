import { readToken, requireFile, requireFolder, requireToken } from '../check-settings.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { requireSecureTransport } from '../insecure-transport.ts';
import { explainListenError } from '../listen-error.ts';
import { requireServerTls } from '../server-tls-settings.ts';
import { givenSettings, readSettings, settingError, settingFlags } from '../settings.ts';
import { runSettings } from './settings.ts';
import { runSchema, type RunSettings } from './settings-schema.ts';

export const runCommand: Command<ProgramDependencies> = {
  use: 'run',
  examples: [
    '--control-plane wss://deploy.example/agent --token-file /etc/helm-agent/token --agent-id edge-1',
    '--control-plane ws://127.0.0.1:8088 --kubeconfig ~/.kube/config --local-charts ./charts',
    '--listen 8089',
  ],
  checkArguments: argumentCount('exactly', 0),
  flags: () => settingFlags(runSettings),
  async run({ flags, context: dependencies }) {
    const given = givenSettings(runSettings, flags);
    const settings = readSettings(runSchema(dependencies.hostName), runSettings, given, dependencies.env);
    await checkSettings(settings, dependencies);
    await dependencies.runAgent(settings).catch((error: unknown) => {
      throw explainListenError(error, (port) => {
        const flag = port === settings.healthPort ? '--health-port' : '--listen';
        return { port: flag, host: flag };
      });
    });
  },
};

/** Checks what can be wrong before anything starts. Throws `SettingError`. */
async function checkSettings(settings: RunSettings, dependencies: ProgramDependencies): Promise<void> {
  for (const url of settings.controlPlane ?? []) requireSecureTransport(runSettings.controlPlane, { ...settings, url });
  await requireFile(runSettings.controlPlaneCa, settings.controlPlaneCa, dependencies);
  await requireFile(runSettings.clientCertificate, settings.clientCertificate, dependencies);
  await requireFile(runSettings.clientKey, settings.clientKey, dependencies);
  await requireToken(runSettings.tokenFile, settings.tokenFile, dependencies);
  await requireToken(runSettings.listenTokenFile, settings.listenTokenFile, dependencies);
  await requireOwnToken(settings, dependencies);
  await requireServerTls(settings);
  await requireFile(runSettings.kubeconfig, settings.kubeconfig, dependencies);
  await requireFile(runSettings.rightsFile, settings.rightsFile, dependencies);
  await requireFile(runSettings.policyFile, settings.policyFile, dependencies);
  await requireFile(runSettings.resultKeyFile, settings.resultKeyFile, dependencies);
  await requireFolder(runSettings.localCharts, settings.localCharts, dependencies);
}

/** Checks that the control plane does not see the token of clients. */
async function requireOwnToken(
  { tokenFile, listenTokenFile }: RunSettings,
  dependencies: ProgramDependencies,
): Promise<void> {
  if (tokenFile === undefined || listenTokenFile === undefined) return;
  const [own, ofClients] = await Promise.all([
    readToken(runSettings.tokenFile, tokenFile, dependencies),
    readToken(runSettings.listenTokenFile, listenTokenFile, dependencies),
  ]);
  if (own !== ofClients) return;
  const problem = 'has the token of --token-file, which the control plane sees; write another one into it';
  throw settingError(runSettings.listenTokenFile, `${listenTokenFile} ${problem}`);
}
