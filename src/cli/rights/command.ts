import { accountProblem, type ServiceAccount } from '../../objects/service-account.ts';
import { valueOfPlain } from '../../release/plain-value.ts';
import { commandNames } from '../../rights/command-selector.ts';
import { accountRoles, type RoleResource } from '../../rights/roles.ts';
import { writeYaml } from '../../yaml/write.ts';
import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { listFlag, switchFlag, textFlag } from '../pflag/flag.ts';
import { chartResources } from './chart-resources.ts';

export const rightsCommand: Command<ProgramDependencies> = {
  use: 'rights NAMESPACE',
  long: `Print the service account that performs the commands for a namespace, its roles with the
least rights, and the role with which the agent may impersonate it.`,
  examples: [
    'shop | kubectl apply -f -',
    'shop --account web-deployer --chart ./web --chart ./db',
    'shop --chart ./web --commands act,logs',
    'platform --cluster --chart ./operator --agent-account deploy/helm-agent',
  ],
  checkArguments: argumentCount('exactly', 1),
  flags: () => [
    textFlag('account', '`name` of the service account', { initial: 'deployer' }),
    textFlag('agent-account', 'the service account of the agent, as `namespace/name`', {
      initial: 'helm-agent/helm-agent',
    }),
    listFlag(
      'chart',
      '`path` of a chart, for whose kinds the account gets rights; can be given more than once (default: the kinds of common charts)',
    ),
    listFlag(
      'commands',
      '`types` of commands, or the rights that they need (act, logs, exec), which the account performs besides those on releases; separated by commas',
    ),
    switchFlag('cluster', 'give the rights in all namespaces, and those to kinds without a namespace'),
  ],
  async run({ args: [namespace = ''], flags, context: { stdout, stderr } }) {
    const account = requireAccount('NAMESPACE and --account', `${namespace}/${flags.text('account')}`);
    const agent = requireAccount('--agent-account', flags.text('agent-account'));
    const wholeCluster = flags.isOn('cluster');
    const commands = flags.list('commands').flatMap((names) => names.split(','));
    const known = new Set<string>(commandNames);
    const unknown = commands.find((name) => !known.has(name));
    if (unknown !== undefined)
      throw new Error(`--commands: ${JSON.stringify(unknown)} must be one of ${commandNames.join(', ')}`);
    const charts = flags.list('chart');
    const resources: RoleResource[] = [];
    for (const chart of charts) {
      const found = await chartResources(chart, namespace);
      const others = found.resources.filter(({ namespaced }) => !namespaced).map(({ resource }) => resource);
      if (others.length > 0 && !wholeCluster) {
        throw new Error(
          `the chart ${chart} has objects without a namespace: ${others.join(', ')}; add --cluster if the account may have rights to all of them`,
        );
      }
      for (const kind of found.guessed)
        stderr.write(`The resource of ${kind} is a guess: correct it if it is wrong.\n`);
      resources.push(...found.resources);
    }
    if (resources.some(({ group }) => group === 'rbac.authorization.k8s.io')) {
      stderr.write('A chart has roles: the account must also have all rights that these give.\n');
    }
    const objects = accountRoles({ account, agent, commands, wholeCluster, ...(charts.length > 0 && { resources }) });
    stdout.write(objects.map((object) => writeYaml(valueOfPlain(object))).join('---\n'));
  },
};

function requireAccount(what: string, text: string): ServiceAccount {
  const problem = accountProblem(text);
  if (problem !== undefined) throw new Error(`${what}: ${problem}, but the account is ${JSON.stringify(text)}`);
  return text as ServiceAccount; // it has no problem
}
