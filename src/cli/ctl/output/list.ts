import type { Host } from '../../../go/host.ts';
import type { Release } from '../../../release/release.ts';
import { appVersionOf, chartNameOf } from './chart-name.ts';
import type { Output } from './format.ts';
import { helmTable } from './helm-table.ts';
import { listedTime } from './time.ts';

export interface ListOutputOptions {
  /** Go's layout for times. Default: as Go prints a time. */
  timeFormat?: string | undefined;
  /** Prints only the names. Default: false. */
  short?: boolean | undefined;
  /** Whether a table has a first row. Default: true. */
  headers?: boolean | undefined;
}

const header = ['NAME', 'NAMESPACE', 'REVISION', 'UPDATED', 'STATUS', 'CHART', 'APP VERSION'];

/** Returns the output of `helm list` (pkg/cmd/list.go). */
export function listOutput(releases: readonly Release[], options: ListOutputOptions, host: Host): Output {
  const { timeFormat = '', short = false, headers = true } = options;
  if (short) {
    const names = releases.map(({ name }) => name);
    return { table: () => names.map((name) => `${name}\n`).join(''), data: () => names };
  }
  const elements = releases.map((release) => ({
    name: release.name,
    namespace: release.namespace,
    revision: String(release.version),
    updated: listedTime(release.info.last_deployed, timeFormat, host),
    status: release.info.status,
    chart: chartNameOf(release),
    app_version: appVersionOf(release),
  }));
  return {
    table: () => helmTable([...(headers ? [header] : []), ...elements.map((element) => Object.values(element))]),
    data: () => elements,
  };
}
