import test from 'ava';
import type { MetricTable } from '../../src/metrics/metric-table.ts';
import { processMetrics, recordProcess } from '../../src/metrics/process-metrics.ts';
import { openMetrics } from '../../src/metrics/prometheus.ts';

const table = {
  sent_total: { kind: 'counter', help: 'Sent.', labels: { result: ['success', 'failure'] } },
  many_total: { kind: 'counter', help: 'Many.', labels: { a: Array.from({ length: 101 }, (_, index) => `${index}`) } },
  connected: { kind: 'gauge', help: 'Connected.' },
  wait_seconds: { kind: 'histogram', help: 'Wait.', buckets: [1, 5] },
} as const satisfies MetricTable;

const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name));

test('counters with few series are 0 at the start, so that their first increase is seen', async (t) => {
  const text = await openMetrics(table).text();
  t.deepEqual(linesOf(text, 'sent_total'), ['sent_total{result="success"} 0', 'sent_total{result="failure"} 0']);
  t.deepEqual(linesOf(text, 'many_total'), []);
});

test('the text has what was recorded', async (t) => {
  const metrics = openMetrics(table);
  const { recorder } = metrics;
  recorder.count('sent_total', { result: 'failure' });
  recorder.count('sent_total', { result: 'failure' });
  recorder.set('connected', {}, 1);
  recorder.observe('wait_seconds', {}, 3);
  const shown = await metrics.text();
  t.true(shown.includes('sent_total{result="failure"} 2\n'));
  t.true(shown.includes('# TYPE connected gauge\nconnected 1\n'));
  t.deepEqual(linesOf(shown, 'wait_seconds'), [
    'wait_seconds_bucket{le="1"} 0',
    'wait_seconds_bucket{le="5"} 1',
    'wait_seconds_bucket{le="+Inf"} 1',
    'wait_seconds_sum 3',
    'wait_seconds_count 1',
  ]);
});

test('gauges are set at each scrape, and scrapes at the same time share one', async (t) => {
  const metrics = openMetrics(table);
  const { recorder } = metrics;
  let scrapes = 0;
  const end = recorder.onScrape(() => recorder.set('connected', {}, ++scrapes));
  const [first, second] = await Promise.all([metrics.text(), metrics.text()]);
  t.is(first, second);
  t.is(scrapes, 1);
  t.true((await metrics.text()).includes('connected 2\n'));
  end();
  await metrics.text();
  t.is(scrapes, 2);
});

test('a scrape measures the process', async (t) => {
  const metrics = openMetrics(processMetrics);
  const { recorder } = metrics;
  recordProcess(recorder);
  const shown = await metrics.text();
  for (const name of Object.keys(processMetrics)) {
    const value = Number(linesOf(shown, `${name} `)[0]?.split(' ')[1]);
    t.true(value >= 0, name);
  }
  t.true(shown.includes('# TYPE process_cpu_seconds_total counter\n'));
});
