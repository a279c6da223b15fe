import type { MetricTable, Recorder } from './metric-table.ts';

/** The metrics of each process, with the names of Prometheus' client libraries. */
export const processMetrics = {
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of the process, in seconds.' },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Resident memory of the process, in bytes.' },
  process_start_time_seconds: { kind: 'gauge', help: 'Start of the process, in seconds since the Unix epoch.' },
  nodejs_heap_size_used_bytes: { kind: 'gauge', help: "Memory that the objects of Node's main thread take, in bytes." },
  nodejs_eventloop_utilization: {
    kind: 'gauge',
    help: "Part of the time since the last scrape in which Node's event loop was busy, from 0 to 1.",
  },
} as const satisfies MetricTable;

/** Measures the process at each scrape. */
export function recordProcess(recorder: Recorder<typeof processMetrics>): void {
  let last = performance.eventLoopUtilization();
  const started = performance.timeOrigin / 1000;
  recorder.onScrape(() => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const now = performance.eventLoopUtilization();
    recorder.set('process_cpu_seconds_total', {}, (user + system) / 1e6);
    recorder.set('process_resident_memory_bytes', {}, rss);
    recorder.set('process_start_time_seconds', {}, started);
    recorder.set('nodejs_heap_size_used_bytes', {}, heapUsed);
    recorder.set('nodejs_eventloop_utilization', {}, performance.eventLoopUtilization(now, last).utilization);
    last = now;
  });
}
