import { argumentCount } from '../cobra/argument-count.ts';
import type { Command, CommandEntry } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import type { HelmContext } from '../helm/context.ts';
import type { Verb } from './verb.ts';

/** A verb in the lists of `ctl` and `helm`. The rest of it is loaded when it is used. */
export interface VerbEntry extends Omit<CommandEntry<unknown>, 'load'> {
  /** Loads its command of `ctl`. Undefined: `ctl` does not have the verb. */
  ctl?: () => Promise<Command<ProgramDependencies>>;
  /** Loads its command of `helm`. Undefined: `helm` does not have the verb. */
  helm?: () => Promise<Command<HelmContext>>;
}

/** Returns the entry of a verb that `ctl` and `helm` have, or only one of them. */
export function verbEntry<Type extends string, Answer extends object>(
  { only, ...entry }: Omit<VerbEntry, 'ctl' | 'helm'> & { only?: 'ctl' | 'helm' },
  load: () => Promise<Verb<Type, Answer>>,
): VerbEntry {
  const ctl = async () => (await import('./ctl-verb.ts')).ctlVerb(await load());
  const helm = async () => (await import('./helm-verb.ts')).helmVerb(await load());
  return { ...entry, ...(only !== 'helm' && { ctl }), ...(only !== 'ctl' && { helm }) };
}

/** Returns the entry of a verb in the commands of a program, if that has the verb. */
export function entryOf<Context>(
  { name, short, aliases = [], suggestFor = [], isHidden = false }: VerbEntry,
  load: (() => Promise<Command<Context>>) | undefined,
): Array<CommandEntry<Context>> {
  return load === undefined ? [] : [{ name, short, aliases, suggestFor, isHidden, load }];
}

/** The verbs of the table of commands, in the order of helm (pkg/cmd/root.go). */
export const verbs: readonly VerbEntry[] = [
  { name: 'get', short: 'print a part of a release', ctl: ctlGetGroup, helm: helmGetGroup },
  verbEntry(
    { name: 'history', short: 'list the revisions of a release', aliases: ['hist'] },
    async () => (await import('./history.ts')).history,
  ),
  {
    ...verbEntry({ name: 'install', short: 'install a chart' }, async () => (await import('./install.ts')).install),
    helm: async () => (await import('./helm-deploy.ts')).helmInstall,
  },
  verbEntry({ name: 'list', short: 'list releases', aliases: ['ls'] }, async () => (await import('./list.ts')).list),
  verbEntry({ name: 'test', short: 'run the tests of a release' }, async () => (await import('./test.ts')).test),
  verbEntry(
    { name: 'rollback', short: 'roll back a release to an older revision' },
    async () => (await import('./rollback.ts')).rollback,
  ),
  verbEntry(
    { name: 'status', short: 'show a release, and whether its objects are ready', only: 'ctl' },
    async () => (await import('./status.ts')).status,
  ),
  verbEntry(
    { name: 'status', short: 'show a release', only: 'helm' },
    async () => (await import('./status.ts')).storedStatus,
  ),
  {
    ...verbEntry(
      { name: 'template', short: 'render a chart and print its manifests' },
      async () => (await import('./template.ts')).template,
    ),
    helm: async () => (await import('../helm/charts/template.ts')).templateCommand,
  },
  verbEntry(
    { name: 'uninstall', short: 'uninstall releases', aliases: ['del', 'delete', 'un'], suggestFor: ['remove', 'rm'] },
    async () => (await import('./uninstall.ts')).uninstall,
  ),
  {
    ...verbEntry({ name: 'upgrade', short: 'upgrade a release' }, async () => (await import('./upgrade.ts')).upgrade),
    helm: async () => (await import('./helm-deploy.ts')).helmUpgrade,
  },
  verbEntry(
    { name: 'diff', short: 'show what an installation or upgrade would change', only: 'ctl' },
    async () => (await import('./diff.ts')).diff,
  ),
  verbEntry(
    { name: 'drift', short: 'show which objects of a release were changed in the cluster', only: 'ctl' },
    async () => (await import('./drift.ts')).drift,
  ),
  { name: 'plan', short: 'plan an operation', ctl: planGroup },
  verbEntry(
    { name: 'get-plan', short: 'show a plan again, with its approvals', only: 'ctl' },
    async () => (await import('./get-plan.ts')).getPlan,
  ),
  {
    name: 'approve-plan',
    short: 'approve plans with a signature',
    ctl: async () => (await import('../ctl/approve-plan.ts')).approvePlanCommand,
  },
  verbEntry(
    { name: 'apply-plan', short: 'perform a plan', only: 'ctl' },
    async () => (await import('./apply-plan.ts')).applyPlan,
  ),
  verbEntry(
    { name: 'apply', short: 'apply manifests as a set', only: 'ctl' },
    async () => (await import('./manifests.ts')).apply,
  ),
  verbEntry(
    { name: 'delete-manifests', short: 'delete sets of manifests', only: 'ctl' },
    async () => (await import('./manifests.ts')).deleteSet,
  ),
  verbEntry(
    { name: 'adopt', short: 'take over a release of Helm 2', only: 'ctl' },
    async () => (await import('./adopt.ts')).adopt,
  ),
  verbEntry(
    { name: 'cancel', short: 'cancel a command that runs or waits', only: 'ctl' },
    async () => (await import('./cancel.ts')).cancel,
  ),
  verbEntry(
    { name: 'cluster-info', short: 'show the cluster, and what the agent may do in it', only: 'ctl' },
    async () => (await import('./objects.ts')).clusterInfo,
  ),
  verbEntry(
    { name: 'policy', short: 'show the policy of the owner of the cluster', only: 'ctl' },
    async () => (await import('./policy.ts')).policy,
  ),
  verbEntry(
    { name: 'sealing-key', short: 'print the public key of an agent to seal values to', only: 'ctl' },
    async () => (await import('./sealing-key.ts')).sealingKey,
  ),
  verbEntry(
    { name: 'get-object', short: 'print an object of any kind', only: 'ctl' },
    async () => (await import('./objects.ts')).getObject,
  ),
  verbEntry(
    { name: 'list-objects', short: 'list the objects of a kind', only: 'ctl' },
    async () => (await import('./objects.ts')).listObjects,
  ),
  verbEntry(
    { name: 'describe', short: 'show an object with its owners, conditions and events', only: 'ctl' },
    async () => (await import('./objects.ts')).describe,
  ),
  verbEntry(
    { name: 'events', short: 'list the events of a namespace, a release or an object', only: 'ctl' },
    async () => (await import('./objects.ts')).events,
  ),
  verbEntry(
    { name: 'top', short: 'show the CPU and the memory that pods or nodes use', only: 'ctl' },
    async () => (await import('./top.ts')).top,
  ),
  {
    name: 'logs',
    short: 'print the logs of containers',
    ctl: async () => (await import('../ctl/logs/command.ts')).logsCommand,
  },
  verbEntry(
    { name: 'restart', short: 'replace the pods of a workload', only: 'ctl' },
    async () => (await import('./actions.ts')).restart,
  ),
  verbEntry(
    { name: 'scale', short: 'set the number of pods of a workload', only: 'ctl' },
    async () => (await import('./actions.ts')).scale,
  ),
  verbEntry(
    { name: 'pause', short: 'pause the rollout of a Deployment', only: 'ctl' },
    async () => (await import('./actions.ts')).pause,
  ),
  verbEntry(
    { name: 'resume', short: 'continue the rollout of a Deployment', only: 'ctl' },
    async () => (await import('./actions.ts')).resume,
  ),
  verbEntry(
    { name: 'delete-pod', short: 'delete a pod', only: 'ctl' },
    async () => (await import('./actions.ts')).deletePod,
  ),
  verbEntry(
    { name: 'run-job', short: 'run a CronJob now', only: 'ctl' },
    async () => (await import('./actions.ts')).runJob,
  ),
  verbEntry(
    { name: 'stop', short: 'scale all workloads of a release to zero', only: 'ctl' },
    async () => (await import('./actions.ts')).stop,
  ),
  verbEntry(
    { name: 'start', short: 'start the workloads of a stopped release', only: 'ctl' },
    async () => (await import('./actions.ts')).start,
  ),
  verbEntry(
    { name: 'upgrade-agent', short: 'upgrade the agent itself', only: 'ctl' },
    async () => (await import('./upgrade-agent.ts')).upgradeAgent,
  ),
  {
    name: 'exec',
    short: 'run a program in a container',
    ctl: async () => (await import('../ctl/exec/command.ts')).execCommand,
  },
  {
    name: 'cp',
    short: 'copy files from or to a container',
    ctl: async () => (await import('../ctl/cp/command.ts')).copyCommand,
  },
  {
    name: 'port-forward',
    short: 'forward ports of this machine to a pod',
    ctl: async () => (await import('../ctl/port-forward/command.ts')).portForwardCommand,
  },
];

async function ctlGetGroup(): Promise<Command<ProgramDependencies>> {
  const { ctlEntry } = await import('./ctl-verb.ts');
  const { getVerbs } = await import('./get.ts');
  return { use: 'get', subcommands: getVerbs.map((verb) => ctlEntry(verb, 'get')) };
}

async function helmGetGroup(): Promise<Command<HelmContext>> {
  const { helmEntry } = await import('./helm-verb.ts');
  const { getVerbs } = await import('./get.ts');
  return { use: 'get', checkArguments: argumentCount('exactly', 0), subcommands: getVerbs.map(helmEntry) };
}

async function planGroup(): Promise<Command<ProgramDependencies>> {
  const { ctlEntry } = await import('./ctl-verb.ts');
  const { planOf } = await import('./plan.ts');
  const { install } = await import('./install.ts');
  const { upgrade } = await import('./upgrade.ts');
  const { rollback } = await import('./rollback.ts');
  const { uninstall } = await import('./uninstall.ts');
  return {
    use: 'plan',
    long: 'Show what a command would do, and record it as a plan.',
    subcommands: [
      ctlEntry(planOf(install), 'plan'),
      ctlEntry(planOf(upgrade), 'plan'),
      ctlEntry(planOf(rollback), 'plan'),
      ctlEntry(planOf(uninstall), 'plan'),
    ],
  };
}
