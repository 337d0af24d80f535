// What the process itself uses, read only at a scrape: no timers and no observers run for it in between.
import { performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

export function declareProcessMetrics(metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name, help, labels: {}, read: () => [{ labels: {}, value: read() }] });
  const startedAtSeconds = performance.timeOrigin / 1000;
  let lastUse = performance.eventLoopUtilization();

  gauge('process_start_time_seconds', 'When the process started, in seconds since the epoch', () => startedAtSeconds);
  gauge('process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss());
  gauge('nodejs_heap_used_bytes', 'Memory that live objects take up', () => process.memoryUsage().heapUsed);
  gauge('nodejs_eventloop_utilization_ratio', 'Share of the time since the last scrape that the loop was busy', () => {
    const use = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(use, lastUse);
    lastUse = use;
    return utilization;
  });
  metrics.total({
    name: 'process_cpu_seconds_total',
    help: 'Processor time that the process has used, in seconds',
    read: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
}
