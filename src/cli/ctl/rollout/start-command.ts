import { fromBytes } from '../../../go/text.ts';
import { isJsonObject } from '../../../objects/fields.ts';
import { without } from '../../../protocol/commands/field.ts';
import { installRelease } from '../../../protocol/commands/install-release.ts';
import { plainValue } from '../../../release/plain-value.ts';
import { readYaml } from '../../../yaml/read.ts';
import type { Command } from '../../cobra/command.ts';
import type { ProgramDependencies } from '../../dependencies.ts';
import { commaListFlag, customFlag, integerFlag, switchFlag, textFlag } from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { chartFlags, givenChart } from '../../verb/chart-flags.ts';
import { packetPayload } from '../../verb/ctl-verb.ts';
import { exclusiveFlagsOf, fieldFlags } from '../../verb/field-flags.ts';
import { fieldValues } from '../../verb/field-values.ts';
import { requireNewReleaseName } from '../../verb/release-and-chart.ts';
import { packedChart } from '../chart-to-send.ts';
import { requireDuration } from '../duration-flag.ts';
import { sessionFlags } from '../send-flags.ts';
import { createSession } from '../session.ts';
import { formatFlag, rolloutSession, show } from './rollout-session.ts';

const program = { program: 'ctl' } as const;

/** The fields of a release that a rollout can have. */
const fields = without(installRelease.fields, 'dryRun', 'ifBusy', 'hideSecret', 'hideNotes', 'logs', 'upgrade');

export const startCommand: Command<ProgramDependencies> = {
  use: 'start [NAME CHART]',
  long: `Deploy a release to many clusters, in waves, and follow that. Clusters that do
not have the release get it, and others are upgraded. By default one cluster is
first, then a tenth of them, then the rest. If one fails, the rollout stops, and
the clusters of its wave get back what they had.

--file names a file with a rollout in YAML or JSON, as the REST API takes it; flags
win over it. Values of flags are added to its values.

The exit code is 0 if the rollout has succeeded, 1 if it has failed or was
aborted, and 2 if it waits for a decision.`,
  examples: [
    'web web --repo https://charts.example --version 2.0.0 -n shop --selector tier=edge',
    'web web --repo https://charts.example -n shop --selector tier=edge --plan',
    'web ./web --agent "edge-*" --waves 1,25%,rest --soak 10m --test --set replicas=2',
    '--file rollout.yaml --version 2.0.1 --no-wait',
  ],
  checkArguments(args) {
    if (args.length !== 0 && args.length !== 2) {
      throw new Error('expected NAME and CHART, or none of them with --file');
    }
  },
  exclusiveFlags: exclusiveFlagsOf(fields),
  flags: () => [
    customFlag('file', 'file', 'file with the rollout in YAML or JSON, - for stdin'),
    textFlag('id', 'name of the rollout; the same one with the same id is started once (default: a UUID)'),
    commaListFlag('agent', 'patterns of the ids of agents; "*" is all of them'),
    textFlag('selector', 'label selector of agents: site=a,tier in (x,y)', { shorthand: 'l' }),
    commaListFlag('waves', 'sizes of the waves: numbers, shares, or rest (default: 1,10%,rest)'),
    integerFlag('concurrency', 'clusters that are at work at the same time (default: 10)'),
    customFlag('duration', 'soak', 'time between two waves, or none (default: 1m)'),
    switchFlag('plan', 'make plans of all clusters first, and change nothing before they are approved'),
    switchFlag('approval', 'let each wave but the first wait until it is approved'),
    customFlag('number', 'max-failures', 'clusters of a wave that may fail, or a share such as 5% (default: 0)'),
    customFlag('number', 'max-total-failures', 'the same for all waves (default: no limit)'),
    customFlag('duration', 'cluster-deadline', 'time for each command of a cluster (default: 1h)'),
    customFlag('revert|pause', 'on-failure', 'what a wave does that has failed (default: revert)'),
    switchFlag('test', 'run the tests of the release in each cluster; one that fails is a failure'),
    textFlag('job', 'CronJob that runs once in each cluster after its update; a failure of it is one of the cluster'),
    textFlag('check', 'id of a webhook that is asked after each wave whether the next one may begin'),
    switchFlag('no-wait', 'do not follow the rollout'),
    textFlag('namespace', 'namespace of the release (default: default)', { shorthand: 'n' }),
    formatFlag,
    ...fieldFlags(fields, program),
    ...chartFlags,
  ],
  async run({ args, flags, context }) {
    const spec = await specOf(args, flags, context);
    const { rollouts, ...session } = await rolloutSession(context, flags);
    const started = await rollouts.start(spec, new AbortController().signal);
    return await show(started, { ...session, rollouts, isFollowed: !flags.isOn('no-wait') });
  },
};

/** Returns the request for a rollout. Throws an error if flags and arguments do not fit. */
async function specOf(
  [releaseName, chartName]: readonly string[],
  flags: FlagValues,
  context: ProgramDependencies,
): Promise<object> {
  const path = flags.optionalText('file');
  if (path === undefined && releaseName === undefined) throw new Error('name the release and its chart, or a --file');
  if (path !== undefined && releaseName !== undefined) {
    throw new Error('--file has the release and its chart; leave the arguments out');
  }
  const file = path === undefined ? {} : await readSpec(path, context);
  const { payload: given = {}, ...rules } = file;
  if (!isJsonObject(given)) throw new Error(`${path ?? ''}: payload must be a mapping`);
  if (releaseName !== undefined) requireNewReleaseName(releaseName);
  const own = await payloadOf(releaseName, chartName, flags, context);
  const spec = {
    ...rules,
    ...ruleFlags(flags),
    payload: { ...given, ...own, ...addedValues(given['values'], own['values']) },
  };
  if (!('agents' in spec) && !('labels' in spec)) {
    throw new Error('name the agents with --agent or --selector; --agent "*" is all of them');
  }
  return spec;
}

async function payloadOf(
  releaseName: string | undefined,
  chartName: string | undefined,
  flags: FlagValues,
  context: ProgramDependencies,
): Promise<Record<string, unknown>> {
  const found = await givenChart(chartName, flags, context);
  const namespace = flags.optionalText('namespace');
  const values = {
    // a file has what the arguments do not say
    ...{ releaseName: releaseName ?? 'name', chartName: chartName ?? 'chart', namespace: namespace ?? 'default' },
    ...fieldValues(fields, program, flags, false),
    ...found.values,
  };
  const encoded = packetPayload(installRelease.payload, values);
  if (!isJsonObject(encoded)) throw new TypeError('a payload is an object');
  const rest = Object.entries(encoded).filter(([name]) => !['releaseName', 'chartName', 'namespace'].includes(name));
  const packed = found.chart && (await uploaded(found.chart, flags, context));
  return {
    ...Object.fromEntries(rest),
    ...(releaseName !== undefined && { releaseName, chartName }),
    ...(namespace !== undefined && { namespace }),
    ...packed,
  };
}

/** Uploads the chart, because a rollout has none in its payload. */
async function uploaded(
  chart: Parameters<typeof packedChart>[0],
  flags: FlagValues,
  context: ProgramDependencies,
): Promise<object> {
  const client = await createSession(context).client(sessionFlags(flags));
  return await packedChart(chart, client, new AbortController().signal, undefined, 0);
}

/** Values of flags win over those of a file, which stay below them. */
function addedValues(below: unknown, above: unknown): { values?: unknown[] } {
  const lists = [below, above].map((values) => (values === undefined ? [] : [values].flat()));
  const [first = [], second = []] = lists;
  return first.length > 0 && second.length > 0 ? { values: [...first, ...second] } : {};
}

function ruleFlags(flags: FlagValues): Record<string, unknown> {
  for (const flag of ['soak', 'cluster-deadline'] as const) {
    const text = flags.optionalText(flag);
    if (text !== undefined && !(flag === 'soak' && text === 'none')) requireDuration(`--${flag}`, '', text);
  }
  const given = (flag: string, field: string, value: () => unknown) =>
    flags.isGiven(flag) ? { [field]: value() } : {};
  return {
    ...given('id', 'id', () => flags.text('id')),
    ...given('agent', 'agents', () => [...flags.list('agent')]),
    ...given('selector', 'labels', () => flags.text('selector')),
    ...given('waves', 'waves', () => flags.list('waves').map(waveOf)),
    ...given('concurrency', 'concurrency', () => flags.integer('concurrency')),
    ...given('soak', 'soak', () => (flags.text('soak') === 'none' ? false : flags.text('soak'))),
    ...given('plan', 'plan', () => flags.isOn('plan')),
    ...given('approval', 'approval', () => flags.isOn('approval')),
    ...given('max-failures', 'maxFailures', () => amountOf('--max-failures', flags.text('max-failures'))),
    ...given('max-total-failures', 'maxTotalFailures', () =>
      amountOf('--max-total-failures', flags.text('max-total-failures')),
    ),
    ...given('cluster-deadline', 'progressDeadline', () => flags.text('cluster-deadline')),
    ...given('on-failure', 'onFailure', () => flags.text('on-failure')),
    ...given('job', 'job', () => flags.text('job')),
    ...given('check', 'check', () => flags.text('check')),
    ...given('test', 'test', () => flags.isOn('test')),
  };
}

function waveOf(text: string): object {
  return text === 'rest' ? {} : { size: amountOf('--waves', text) };
}

function amountOf(flag: string, text: string): number | string {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  if (/^\d{1,3}%$/.test(text)) return text;
  throw new Error(`${flag} must be a number, or a share such as 10%, not ${JSON.stringify(text)}`);
}

async function readSpec(
  path: string,
  { readFile }: Pick<ProgramDependencies, 'readFile'>,
): Promise<Record<string, unknown>> {
  const spec = plainValue(readYaml(fromBytes(await readFile(path))));
  if (isJsonObject(spec)) return spec;
  throw new Error(`${path} must have a rollout as a mapping, with payload, agents or labels, and waves`);
}
