import type { Host } from '../../../go/host.ts';
import type { Release } from '../../../release/release.ts';
import { appVersionOf, chartNameOf } from './chart-name.ts';
import type { Output } from './format.ts';
import { helmTable } from './helm-table.ts';
import { ansiTime, hasTime } from './time.ts';

const header = ['REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION', 'DESCRIPTION'];

/** Returns the output of `helm history` (pkg/cmd/history.go). */
export function historyOutput(releases: readonly Release[], host: Host): Output {
  return {
    table() {
      const rows = releases.map((release) => [
        String(release.version),
        ansiTime(release.info.last_deployed, host),
        release.info.status,
        chartNameOf(release),
        appVersionOf(release),
        release.info.description ?? '',
      ]);
      return helmTable([header, ...rows]);
    },
    data: () =>
      releases.map((release) => ({
        revision: release.version,
        updated: hasTime(release.info.last_deployed, host) ? release.info.last_deployed : undefined,
        status: release.info.status,
        chart: chartNameOf(release),
        app_version: appVersionOf(release),
        description: release.info.description ?? '',
      })),
  };
}
