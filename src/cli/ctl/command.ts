import { Option, type Command } from 'commander';
import { z } from 'zod';
import type { CommandParameters, CommandType } from '../../protocol/commands.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readSecret } from '../secret-file.ts';
import { addSettings, readSettings, type Settings } from '../settings.ts';
import { oneLine, table } from '../text.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import { addDeployOptions, chartOf, deployOf, type DeployFlags } from './deploy-options.ts';
import { follow } from './follow.ts';

const serverSettings = {
  server: {
    flag: '--server <url>',
    variable: 'HELM_AGENT_SERVER',
    description: 'the control plane; http://127.0.0.1:8088 where absent',
  },
  tokenFile: {
    flag: '--token-file <file>',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description: "a file with the token of the control plane's API",
  },
} satisfies Settings<string>;

const serverSchema = z.object({
  server: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).default('http://127.0.0.1:8088'),
  tokenFile: z.string().optional(),
});

type Flags = Record<string, unknown>;

/** Adds `ctl` and its commands. */
export function addCtl(program: Command, dependencies: ProgramDependencies, exit: { code: number }): void {
  const ctl = program.command('ctl').description('Command agents through a control plane, and watch what comes of it');

  const secretIn = (path: string) => readSecret(dependencies, path);

  async function clientOf(flags: Flags): Promise<ApiClient> {
    const { server, tokenFile } = readSettings(serverSchema, serverSettings, flags, dependencies.env);
    const token = tokenFile === undefined ? undefined : await secretIn(tokenFile);
    return createApiClient({ server, token, fetch: (url, init) => dependencies.fetch(url, init) });
  }

  async function perform<Type extends CommandType>(flags: Flags, type: Type, payload: CommandParameters[Type]) {
    const client = await clientOf(flags);
    const { key } = await client.send(String(flags['agent']), { type, payload }, new AbortController().signal);
    exit.code = await follow(client, key, dependencies);
  }

  const add = (usage: string, description: string, examples: string[]) => {
    const command = ctl.command(usage).description(description);
    addSettings(command, serverSettings);
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  helm-agent ctl ${line}`).join('\n')}`);
    return command;
  };
  const agentOption = () => new Option('--agent <id>', 'the agent that performs it').makeOptionMandatory();
  const namespaceOption = () =>
    new Option('-n, --namespace <namespace>', "the release's namespace; default where absent");

  const deploy = (usage: string, description: string, examples: string[]) => {
    const command = add(usage, description, examples).addOption(agentOption()).addOption(namespaceOption());
    addDeployOptions(command);
    return command;
  };

  deploy('install <name> <chart>', 'Install a chart as a new release', [
    'install podinfo podinfo --agent edge-1 --repo https://stefanprodan.github.io/podinfo --version ^6 -n demo',
    'install web ./web --agent edge-1 -f values.yaml --set replicas=2 --timeout 10m',
  ])
    .option('--upgrade', 'upgrade the release where there is one')
    .action(async (releaseName: string, chartName: string, flags: DeployFlags & { upgrade?: boolean }) => {
      const common = {
        releaseName,
        ...(await chartOf(chartName, flags, secretIn)),
        ...(await deployOf(flags, dependencies)),
      };
      await perform(flags, 'install_release', { ...common, ...(flags.upgrade && { upgrade: true }) });
    });

  deploy('upgrade <name> <chart>', 'Upgrade a release', [
    'upgrade podinfo podinfo --agent edge-1 --repo https://stefanprodan.github.io/podinfo --set replicaCount=2 -n demo',
  ])
    .option('-i, --install', 'install it where there is no such release')
    .action(async (releaseName: string, chartName: string, flags: DeployFlags & { install?: boolean }) => {
      const common = {
        releaseName,
        ...(await chartOf(chartName, flags, secretIn)),
        ...(await deployOf(flags, dependencies)),
      };
      if (flags.install) await perform(flags, 'install_release', { ...common, upgrade: true });
      else await perform(flags, 'upgrade_release', common);
    });

  add('uninstall <name>', 'Uninstall a release', ['uninstall podinfo --agent edge-1 -n demo'])
    .addOption(agentOption())
    .addOption(namespaceOption())
    .option('--timeout <duration>', 'how long it may take; 5m where absent')
    .option('--no-wait', 'do not wait until all resources are gone')
    .action(async (releaseName: string, flags: { namespace?: string; timeout?: string; wait: boolean }) => {
      const { namespace, timeout, wait } = flags;
      await perform(flags, 'uninstall_release', { releaseName, namespace, timeout, ...(!wait && { wait }) });
    });

  add('list', "List an agent's releases", ['list --agent edge-1', 'list --agent edge-1 -n demo'])
    .addOption(agentOption())
    .option('-n, --namespace <namespace>', 'only of this namespace')
    .action(async (flags: { namespace?: string }) => {
      await perform(flags, 'list_releases', { namespace: flags.namespace });
    });

  add('agents', 'List the agents that are connected', ['agents']).action(async (flags: Flags) => {
    const agents = await (await clientOf(flags)).agents(new AbortController().signal);
    const rows = agents.map((agent) =>
      [agent.agentId, agent.version, agent.instanceId, agent.connectedAt].map(oneLine),
    );
    const head = ['AGENT', 'VERSION', 'INSTANCE', 'CONNECTED AT'];
    dependencies.stdout.write(`${table([head, ...rows]).join('\n')}\n`);
  });

  add('follow <key>', 'Watch a command that was sent before', ['follow 2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e']).action(
    async (key: string, flags: Flags) => {
      exit.code = await follow(await clientOf(flags), key, dependencies);
    },
  );
}
