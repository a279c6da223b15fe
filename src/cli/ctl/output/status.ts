import type { Host } from '../../../go/host.ts';
import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import type { Release } from '../../../release/release.ts';
import { table } from '../../table.ts';
import { progressText } from '../progress-text.ts';
import type { Output } from './format.ts';
import { releaseFields } from './release-fields.ts';
import { ansiTime, hasTime } from './time.ts';

export type Resource = CommandAnswers['release_status']['resources'][number];

/**
 * Returns the output of `helm status` (pkg/cmd/status.go). Instead of the API server's tables and
 * the whole objects, it has the readiness of the objects.
 */
export function statusOutput(release: Release, resources: readonly Resource[], host: Host): Output {
  return {
    table: () => headText(release, host) + resourcesText(resources) + testSuiteText(release, host) + notesText(release),
    data: () => ({ ...releaseFields(release), resources: resources.length === 0 ? undefined : resources }),
  };
}

/** Returns the first lines. `metadata` adds those of the chart. */
export function headText({ name, namespace, version, info, chart }: Release, host: Host, metadata = false): string {
  const chartLines = [
    `CHART: ${chart.metadata?.name ?? ''}`,
    `VERSION: ${chart.metadata?.version ?? ''}`,
    `APP_VERSION: ${chart.metadata?.appVersion ?? ''}`,
  ];
  return lines([
    `NAME: ${name}`,
    ...(hasTime(info.last_deployed, host) ? [`LAST DEPLOYED: ${ansiTime(info.last_deployed, host)}`] : []),
    `NAMESPACE: ${namespace}`,
    `STATUS: ${info.status}`,
    `REVISION: ${version}`,
    ...(metadata ? chartLines : []),
    `DESCRIPTION: ${info.description ?? ''}`,
  ]);
}

function resourcesText(resources: readonly Resource[]): string {
  if (resources.length === 0) return '';
  const kinds = Map.groupBy(resources, ({ apiVersion, kind }) => `${apiVersion.split('/').at(-1) ?? ''}/${kind}`);
  const sections = Array.from(kinds, ([kind, members]) => {
    const rows = members.map(({ name, status, ...rest }) => [name, status, progressText(rest).replace(/\s+/g, ' ')]);
    return lines([`==> ${kind}`, ...table([['NAME', 'STATUS', 'REASON'], ...rows]), '']);
  });
  return `RESOURCES:\n${sections.join('')}\n`;
}

/** Describes the last run of each test hook. */
export function testSuiteText({ hooks = [] }: Release, host: Host): string {
  const tests = hooks.filter(({ events }) => events.includes('test'));
  if (tests.length === 0) return 'TEST SUITE: None\n';
  return tests
    .filter(({ last_run }) => hasTime(last_run.started_at, host))
    .map(({ name, last_run }) =>
      lines([
        `TEST SUITE:     ${name}`,
        `Last Started:   ${ansiTime(last_run.started_at, host)}`,
        `Last Completed: ${ansiTime(last_run.completed_at, host)}`,
        `Phase:          ${last_run.phase}`,
      ]),
    )
    .join('');
}

export function notesText({ info: { notes = '' } }: Release): string {
  return notes === '' ? '' : `NOTES:\n${notes.trim()}\n`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
