import { readFileSync } from 'node:fs';
import test from 'ava';
import { agentMetrics } from '../../src/metrics/agent-metrics.ts';
import { controlPlaneMetrics } from '../../src/metrics/control-plane-metrics.ts';
import type { MetricDefinition, MetricTable } from '../../src/metrics/metric-table.ts';
import { processMetrics } from '../../src/metrics/process-metrics.ts';
import { seriesOf } from '../../src/metrics/prometheus.ts';

const metricsOf = (table: MetricTable) => Object.entries<MetricDefinition>(table);

function rowsOf(table: MetricTable, shared: MetricTable = {}): string[] {
  return metricsOf(table)
    .filter(([name]) => !(name in shared))
    .map(([name, { kind, labels = {}, help }]) => {
      const names = Object.keys(labels).map((label) => `\`${label}\``);
      return `| \`${name}\` | ${kind} | ${names.join(', ')} | ${help} |`;
    });
}

test('the documentation lists each metric', (t) => {
  const documented = readFileSync('docs/metrics.md', 'utf8')
    .split('\n')
    .filter((line) => / \| (?:counter|gauge|histogram) \| /.test(line))
    .map((line) => line.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| '));
  const rows = [
    ...rowsOf(agentMetrics, processMetrics),
    ...rowsOf(controlPlaneMetrics, processMetrics),
    ...rowsOf(processMetrics),
  ].map((row) => row.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| '));
  t.deepEqual(documented, rows);
});

for (const [process, table] of Object.entries({ agent: agentMetrics, 'control plane': controlPlaneMetrics })) {
  test(`the metrics of the ${process} have names as Prometheus recommends`, (t) => {
    for (const [name, { kind, help }] of metricsOf(table)) {
      t.regex(name, /^[a-z][a-z0-9_]*$/);
      t.is(name.endsWith('_total'), kind === 'counter', `${name}: _total is for counters`);
      if (kind === 'histogram') t.true(name.endsWith('_seconds'), `${name}: the unit of a histogram`);
      t.notRegex(name, /_(?:ms|milliseconds|minutes|kb|mib|count|sum|bucket)$/, `${name}: base units`);
      t.regex(help, /^[A-Z].*\.$/, `${name}: help is a sentence`);
    }
  });

  test(`the series of the ${process} have a bound`, (t) => {
    const series = metricsOf(table).map(
      ([, metric]) => seriesOf(metric).length * (metric.kind === 'histogram' ? 17 : 1),
    );
    t.true(series.reduce((sum, count) => sum + count, 0) < 2000);
    for (const [name, { labels = {} }] of metricsOf(table)) {
      t.false('release' in labels || 'namespace' in labels || 'agent' in labels, name);
    }
  });
}
