import { join } from 'node:path';
import { locateChart, type LocatedChart, updateMissingDependencies } from '../../../downloader/index.ts';
import { quote } from '../../../go/strconv.ts';
import { renderFlags } from '../../../protocol/commands/render-flags.ts';
import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import {
  commaListFlag,
  durationFlag,
  type Flag,
  pairsFlag,
  parseBool,
  switchFlag,
  textFlag,
} from '../../pflag/flag.ts';
import type { FlagValues } from '../../pflag/flag-values.ts';
import { kubeVersionOf } from '../../release-options.ts';
import { nameFromTemplate } from '../../template/release-name.ts';
import { renderChart } from '../../template/render-chart.ts';
import { showOnly, showOnlyFlag } from '../../template/show-only.ts';
import { mergeValueFlags } from '../../values.ts';
import { nameFlags } from '../../verb/release-and-chart.ts';
import { valueFlags, valuesOfFlags } from '../../verb/value-flags.ts';
import type { HelmContext } from '../context.ts';
import { chartPathFlags, develFlag } from '../flags/chart-path-flags.ts';
import { connectionOfFlags } from '../flags/connection-flags.ts';
import { postRendererFlags } from '../flags/post-renderer-flags.ts';
import { waitFlag } from '../flags/wait-flag.ts';
import { chartPathWithPassword, givenLimits, nunjucksFlag, passwordFileFlag, templateLimitsFlag } from './own-flags.ts';
import { writeManifests } from './write-manifests.ts';

const withoutEffect = 'accepted, and without effect';
const dryRun = 'client, without a cluster. "server" is refused: install --dry-run=server asks a cluster';

/** `helm template` (pkg/cmd/template.go) */
export const templateCommand: Command<HelmContext> = {
  use: 'template [NAME] [CHART]',
  long: `Render a chart and print its manifests, without a cluster.

Lookups find nothing, and no API server checks the manifests.
--api-versions and --kube-version say what the cluster would have.`,
  examples: [
    'web ./web -f values.yaml --set replicas=2 -n demo',
    'podinfo --repo https://stefanprodan.github.io/podinfo --version ^6',
    "web ./web -s 'templates/*.yaml' --kube-version 1.33 -a monitoring.coreos.com/v1",
  ],
  checkArguments: argumentCount('at least', 1),
  flags: templateFlags,
  exclusiveFlags: [
    ['force-replace', 'force-conflicts'],
    ['force', 'force-conflicts'],
    ['validate', 'dry-run'],
  ],
  async run({ args, flags, context }) {
    const kubeVersion = kubeVersionOf({ kubeVersion: flags.text('kube-version') });
    refuseServer(flags, context);
    const { name, chartName } = nameAndChart(args, flags, context);
    const limits = await givenLimits(flags);
    const { stdout, stderr, log } = context;
    const write = (text: string) => stderr.write(text);
    const request = {
      locate: async () => locateChart(chartName, await chartPathWithPassword(flags, context), context, write),
      values: () => mergeValueFlags(valuesOfFlags(flags), context.readFile),
      ...(flags.isOn('dependency-update') && {
        prepare: (located: LocatedChart) =>
          updateMissingDependencies(located, { ...connectionOfFlags(flags), skipRefresh: false }, context),
      }),
      name,
      namespace: await context.namespace(),
      kubeVersion,
      apiVersions: flags.list('api-versions'),
      isUpgrade: flags.isOn('is-upgrade'),
      includeCrds: flags.isOn('include-crds'),
      noHooks: flags.isOn('no-hooks'),
      skipTests: flags.isOn('skip-tests'),
      resolveHost: flags.isOn('enable-dns') ? context.resolveHost : undefined,
      skipSchemaValidation: flags.isOn('skip-schema-validation'),
      ...(limits && { limits: limits.chart }),
    };
    const createRenderer = () =>
      context.createRenderer({
        allowNunjucks: flags.isOn('allow-nunjucks'),
        ...(limits && { limits: limits.render }),
      });
    const rendered = await renderChart(request, createRenderer, log, write);
    const folder = flags.text('output-dir');
    const patterns = flags.list('show-only');
    if (folder !== '') {
      const templates = flags.isOn('release-name') ? join(folder, name) : folder;
      await writeManifests(rendered, { crds: folder, templates }, (line) => stdout.write(line));
    }
    const output = folder === '' ? rendered.output : '\n';
    stdout.write(patterns.length === 0 ? output : showOnly(output, patterns));
  },
};

const hasNoEffect = "this flag has no effect for 'helm template' and will be removed in Helm 5";

/**
 * Flags of `helm install` that do not change what is rendered. The table of commands has the others
 * of them, too, but it takes longer to load than most charts.
 */
const flagsWithoutEffect: readonly Flag[] = [
  ...['create-namespace', 'force-replace', 'force-conflicts', 'replace', 'wait-for-jobs', 'rollback-on-failure']
    .concat(['skip-crds', 'take-ownership', 'disable-openapi-validation'])
    .map((name) => switchFlag(name, withoutEffect)),
  switchFlag('server-side', withoutEffect, { initial: true }),
  textFlag('description', withoutEffect),
  pairsFlag('labels', withoutEffect, { shorthand: 'l' }),
  durationFlag('timeout', withoutEffect, { initial: 300_000_000_000n }),
  switchFlag('force', withoutEffect, { deprecated: 'use --force-replace instead' }),
  switchFlag('atomic', withoutEffect, { deprecated: 'use --rollback-on-failure instead' }),
  switchFlag('hide-notes', withoutEffect, { deprecated: hasNoEffect }),
  switchFlag('render-subchart-notes', withoutEffect, { deprecated: hasNoEffect }),
];

function templateFlags(context: HelmContext): readonly Flag[] {
  return [
    ...flagsWithoutEffect,
    waitFlag(context),
    switchFlag('no-hooks', 'leave out hooks'),
    ...Object.values(renderFlags).map(({ name, help }) => switchFlag(name, help)),
    ...nameFlags,
    ...valueFlags,
    ...chartPathFlags(context),
    develFlag,
    showOnlyFlag,
    textFlag('output-dir', 'write the manifests to files in this folder'),
    switchFlag('validate', 'deprecated', { deprecated: "use '--dry-run=server' instead" }),
    textFlag('kube-version', 'Kubernetes version in .Capabilities.KubeVersion'),
    commaListFlag(
      'api-versions',
      'API versions to add to .Capabilities.APIVersions, separated by commas; may be repeated',
      { shorthand: 'a' },
    ),
    switchFlag('release-name', 'add the name of the release to the path of --output-dir'),
    textFlag('dry-run', dryRun, { initial: 'client', withoutValue: 'unset' }),
    ...postRendererFlags(),
    nunjucksFlag(context),
    templateLimitsFlag(context),
    passwordFileFlag(context),
  ];
}

/** Refuses to ask a cluster, and values of --dry-run that Helm refuses. */
function refuseServer(flags: FlagValues, { log }: HelmContext): void {
  const mode = flags.text('dry-run');
  const isOn = parseBool(mode);
  if (mode === 'unset') log.warn("--dry-run is deprecated and should be replaced with '--dry-run=client'", {});
  else if (isOn === true) {
    log.warn(`boolean '--dry-run=${mode}' flag is deprecated and must be replaced with '--dry-run=client'`, {});
  } else if (isOn === false || mode === 'none') {
    throw new Error(`invalid dry-run value (${quote(mode)}). Must be "server" or "client"`);
  } else if (mode !== 'client' && mode !== 'server') {
    throw new Error(`invalid dry-run value (${quote(mode)}). Must be "none", "server", or "client"`);
  }
  if (mode === 'server' || flags.isOn('validate')) {
    throw new Error('helm-agent helm template does not ask a cluster; use helm install --dry-run=server');
  }
}

function nameAndChart(args: readonly string[], flags: FlagValues, { host, env }: HelmContext) {
  const [first = '', second, ...more] = args;
  const template = flags.text('name-template');
  if (more.length > 0) throw new Error(`expected at most two arguments, unexpected arguments: ${more.join(', ')}`);
  if (second === undefined) {
    return { name: template === '' ? 'release-name' : nameFromTemplate(template, { host, env }), chartName: first };
  }
  if (flags.isOn('generate-name')) throw new Error('cannot set --generate-name and also specify a name');
  if (template !== '') throw new Error('cannot set --name-template and also specify a name');
  return { name: first, chartName: second };
}
