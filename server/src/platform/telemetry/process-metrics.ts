// Resource use of the process, read at a scrape without timers or observers.
import { readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

export function declareProcessMetrics(metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name, help, labels: {}, read: () => [{ labels: {}, value: read() }] });
  const startedAtSeconds = performance.timeOrigin / 1000;
  let lastUse = performance.eventLoopUtilization();

  gauge('process_start_time_seconds', 'When the process started, in seconds since the epoch', () => startedAtSeconds);
  gauge('process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss());
  gauge('process_open_fds', 'Open files and connections; 0 where the system does not tell', countOpenFiles);
  gauge('nodejs_heap_size_total_bytes', 'Memory that the heap has taken', () => process.memoryUsage().heapTotal);
  gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap', () => process.memoryUsage().external);
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

function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
