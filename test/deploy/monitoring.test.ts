import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import test from 'ava';
import { load } from 'js-yaml';
import { agentMetrics } from '../../src/metrics/agent-metrics.ts';
import { controlPlaneMetrics } from '../../src/metrics/control-plane-metrics.ts';
import type { MetricDefinition } from '../../src/metrics/metric-table.ts';
import { openMetrics } from '../../src/metrics/prometheus.ts';

const run = promisify(execFile);
const { PROMTOOL: promtool } = process.env;

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string; description: string } }[] }[];
}
interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const metrics: Readonly<Record<string, MetricDefinition>> = { ...agentMetrics, ...controlPlaneMetrics };
const rules = (load(readFileSync('deploy/monitoring/alerts.yaml', 'utf8')) as Rules).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readFileSync('deploy/monitoring/dashboard.json', 'utf8')) as Dashboard;

/** Returns the metrics that an expression reads, and the values of labels that it names. */
function readsOf(expr: string) {
  const names = expr.match(/\b(?:helm_agent|rest_client|process|nodejs)_\w+/g) ?? [];
  return names.map((name) => {
    const histogram = name.replace(/_bucket$/, '');
    const selector = new RegExp(`${name}\\{([^}]*)\\}`).exec(expr)?.[1] ?? '';
    return { name: histogram, isBucket: histogram !== name, selector };
  });
}

const expressions: [where: string, expr: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

test('the alerts and the dashboard read metrics, labels and values that exist', (t) => {
  t.true(expressions.length > 30);
  for (const [where, expr] of expressions) {
    const reads = readsOf(expr);
    t.true(reads.length > 0, where);
    for (const { name, isBucket, selector } of reads) {
      const metric = metrics[name];
      t.truthy(metric, `${where}: ${name}`);
      t.is(metric?.kind === 'histogram', isBucket, `${where}: ${name}`);
      for (const [, label = '', operator, value = ''] of selector.matchAll(/(\w+)(=~?)"([^"]*)"/g)) {
        if (label === 'job') continue;
        const values = metric?.labels?.[label];
        t.truthy(values, `${where}: ${name}{${label}}`);
        const matcher = operator === '=~' ? new RegExp(`^(?:${value})$`) : undefined;
        const matches = (one: string) => matcher?.test(one) ?? one === value;
        t.true(typeof values === 'object' && values.some(matches), `${where}: ${name}{${label}="${value}"}`);
      }
    }
    const grouped = [...expr.matchAll(/\b(?:by|without) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const known = new Set(['le', 'job', 'namespace', 'instance', 'pod', 'container', 'endpoint']);
    for (const label of grouped) {
      t.true(known.has(label) || reads.some(({ name }) => metrics[name]?.labels?.[label]), `${where}: ${label}`);
    }
  }
});

test('each metric of an agent and a control plane is on the dashboard', (t) => {
  const shown = new Set(
    dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => readsOf(expr).map(({ name }) => name))),
  );
  const left = Object.keys(metrics).filter((name) => !shown.has(name));
  t.deepEqual(left.sort(), [
    ...['helm_agent_build_info', 'helm_agent_hub_build_info', 'helm_agent_leader', 'process_start_time_seconds'],
  ]);
});

test('each alert says what is wrong', (t) => {
  for (const { alert, annotations } of rules) {
    t.regex(annotations.summary, /^[A-Z].*\.$/, alert);
    t.regex(annotations.description, /\.$/, alert);
  }
});

const promtoolTest = promtool === undefined ? test.skip : test;

promtoolTest('promtool accepts the rules and their tests, and the text of /metrics (needs PROMTOOL)', async (t) => {
  const file = promtool ?? '';
  await t.notThrowsAsync(run(file, ['check', 'rules', 'deploy/monitoring/alerts.yaml']));
  await t.notThrowsAsync(run(file, ['test', 'rules', 'test/deploy/alerts-promtool.yaml']));
  for (const open of [() => openMetrics(agentMetrics), () => openMetrics(controlPlaneMetrics)]) {
    const checked = run(file, ['check', 'metrics']);
    checked.child.stdin?.end(await open().text());
    await t.notThrowsAsync(checked);
  }
});
