// Metrics: names and types, labels, gauges read at the scrape, and timing of requests by route.
import { spawnSync } from 'node:child_process';
import { endpoint } from '@recordproof/shared/api/endpoint.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { movableClock } from '../../../../test/support/clock.ts';
import { openTestHttp } from '../../../../test/support/http.ts';
import { parseMetrics } from '../../../../test/support/prometheus.ts';
import { route } from '../http/route.ts';
import { openGoals } from './goals.ts';
import { observeRequests } from './http-metrics.ts';
import { type Metrics, openMetrics, toMetricName } from './metrics.ts';
import { declarePlatformMetrics, type PlatformReadings } from './platform-metrics.ts';
import { declareProcessMetrics } from './process-metrics.ts';

const readings: PlatformReadings = {
  saga: async () => ({ running: 3, failed: 1, pendingCompensation: 2 }),
  outbox: async () => ({ pending: 7, failed: 1 }),
  storage: {
    names: ['s3-a:9000', 's3-b:9000'],
    nodes: async () => [
      { node: 's3-a:9000', online: true, usagePercent: 41.5 },
      { node: 's3-b:9000', online: false },
    ],
  },
};

const scrape = async (metrics: Metrics) => parseMetrics((await metrics.scrape()).body);
const sampleOf = async (metrics: Metrics, family: string, series: string) =>
  (await scrape(metrics)).get(family)?.samples.get(series);

test('the specified metrics have their exact names and types from the start', async () => {
  const metrics = openMetrics();
  declarePlatformMetrics(metrics, readings, movableClock());
  const families = await scrape(metrics);
  const types = Object.fromEntries([...families].map(([name, family]) => [name, family.type]));
  expect(types).toMatchObject({
    saga_total: 'counter',
    saga_duration: 'histogram',
    saga_running: 'gauge',
    saga_pending_compensation: 'gauge',
    outbox_events_total: 'counter',
    outbox_publish_latency: 'histogram',
    outbox_pending: 'gauge',
    outbox_exhausted: 'gauge',
    s3_node_online_status: 'gauge',
    s3_node_usage_percent: 'gauge',
  });
  expect(families.get('outbox_events_total')?.samples).toEqual(
    new Map([
      ['outbox_events_total{status="published"}', 0],
      ['outbox_events_total{status="failed"}', 0],
    ]),
  );
  expect(families.get('saga_duration')?.samples.get('saga_duration_count')).toBe(0);
});

test('sagas and events are counted', async () => {
  const metrics = openMetrics();
  const recorder = declarePlatformMetrics(metrics, readings, movableClock());
  recorder.sagaEnded('completed', 1.5);
  recorder.sagaEnded('failed', 0.5);
  recorder.eventPublished(0.02);
  recorder.eventFailed();
  const families = await scrape(metrics);
  expect(families.get('saga_total')?.samples.get('saga_total{status="completed"}')).toBe(1);
  expect(families.get('saga_total')?.samples.get('saga_total{status="failed"}')).toBe(1);
  expect(families.get('saga_duration')?.samples.get('saga_duration_sum')).toBe(2);
  expect(families.get('outbox_events_total')?.samples.get('outbox_events_total{status="published"}')).toBe(1);
  expect(families.get('outbox_publish_latency')?.samples.get('outbox_publish_latency_bucket{le="0.025"}')).toBe(1);
});

test('gauges are read at the scrape, and a node without a known capacity has no usage', async () => {
  const metrics = openMetrics();
  declarePlatformMetrics(metrics, readings, movableClock());
  const families = await scrape(metrics);
  expect(families.get('saga_running')?.samples.get('saga_running')).toBe(3);
  expect(families.get('saga_pending_compensation')?.samples.get('saga_pending_compensation')).toBe(2);
  expect(families.get('outbox_pending')?.samples.get('outbox_pending')).toBe(7);
  expect(families.get('outbox_exhausted')?.samples.get('outbox_exhausted')).toBe(1);
  expect([...(families.get('s3_node_online_status')?.samples ?? [])]).toEqual([
    ['s3_node_online_status{node="s3-a:9000"}', 1],
    ['s3_node_online_status{node="s3-b:9000"}', 0],
  ]);
  expect([...(families.get('s3_node_usage_percent')?.samples ?? [])]).toEqual([
    ['s3_node_usage_percent{node="s3-a:9000"}', 41.5],
  ]);
});

test('one reading serves all gauges of a scrape, and of scrapes within a second', async () => {
  const clock = movableClock();
  let asked = 0;
  const saga = async () => ({ running: ++asked, failed: 0, pendingCompensation: 0 });
  const metrics = openMetrics();
  declarePlatformMetrics(metrics, { ...readings, saga }, clock);
  await scrape(metrics);
  await scrape(metrics);
  expect(asked).toBe(1);
  clock.advance(1000);
  expect(await sampleOf(metrics, 'saga_running', 'saga_running')).toBe(2);
});

test('a gauge that cannot be read is omitted, and the failure is counted', async () => {
  const clock = movableClock();
  let broken = false;
  const outbox = async () => {
    if (broken) throw new Error('the database is gone');
    return { pending: 7, failed: 0 };
  };
  const metrics = openMetrics();
  declarePlatformMetrics(metrics, { ...readings, outbox }, clock);
  expect(await sampleOf(metrics, 'outbox_pending', 'outbox_pending')).toBe(7);
  broken = true;
  clock.advance(1000);
  const families = await scrape(metrics);
  expect(families.get('outbox_pending')?.samples.size).toBe(0);
  expect(families.get('saga_running')?.samples.size).toBe(1);
  expect(await sampleOf(metrics, 'metrics_read_failures_total', 'metrics_read_failures_total')).toBeGreaterThan(1);
});

test('a value outside the declared set is counted under other', async () => {
  const metrics = openMetrics();
  const counter = metrics.counter({ name: 'things_total', help: 'Things', labels: { kind: ['big', 'small'] } });
  counter.add({ kind: 'file 4711' as 'big' });
  counter.add({} as { kind: 'big' }, 2);
  expect([...((await scrape(metrics)).get('things_total')?.samples ?? [])]).toEqual([
    ['things_total{kind="big"}', 0],
    ['things_total{kind="small"}', 0],
    ['things_total{kind="other"}', 3],
  ]);
});

test('a metric name can be declared only once', () => {
  const metrics = openMetrics();
  const declare = () => metrics.counter({ name: 'things_total', help: 'Things', labels: {} });
  declare();
  expect(declare).toThrow(/already/);
});

test('dotted names are converted as by Micrometer', () => {
  expect(toMetricName('app.crypto.suite.decision', 'counter')).toBe('app_crypto_suite_decision_total');
  expect(toMetricName('app.file.key_wrapping.duration', 'timer')).toBe('app_file_key_wrapping_duration_seconds');
  expect(toMetricName('saga_duration', 'timer')).toBe('saga_duration');
});

const getThing = endpoint('getThing', {
  feature: 'things',
  route: 'GET /things/{id}',
  aliases: ['/thing/{id}'],
  summary: 'A thing',
  access: 'signed-in',
  rate: 'other',
  params: z.object({ id: z.string() }),
});

test('requests are timed under the pattern of their route, never under their path', async () => {
  const metrics = openMetrics();
  await using http = await openTestHttp([route(getThing, () => null)], {
    observe: observeRequests({ metrics, goals: openGoals(metrics) }, [getThing]),
  });
  await http.get('/things/carbuncle', { token: 'user:' });
  await http.get('/thing/carbuncle', { token: 'user:' });
  await http.get('/things/carbuncle-2');
  await http.get('/secret-of-somebody');
  await http[Symbol.asyncDispose]();
  const { body } = await metrics.scrape();
  const samples = parseMetrics(body).get('http_server_requests_seconds')?.samples;
  const count = (route: string, status: string) =>
    samples?.get(`http_server_requests_seconds_count{method="GET",route="${route}",status="${status}"}`);
  expect([count('/things/:id', '2xx'), count('/thing/:id', '2xx'), count('/things/:id', '4xx')]).toEqual([1, 1, 1]);
  expect(count('(none)', '4xx')).toBe(1);
  expect(body).not.toMatch(/carbuncle|secret/);
});

test('the exported text passes the checks of promtool', async context => {
  const promtool = process.env.PROMTOOL ?? 'promtool';
  if (spawnSync(promtool, ['--version']).error) context.skip(`no ${promtool} here; our own strict reader ran above`);
  const metrics = openMetrics();
  declareProcessMetrics(metrics);
  const observe = observeRequests({ metrics, goals: openGoals(metrics) }, [getThing]);
  observe({ method: 'GET', path: '/things/:id', status: 200, seconds: 0.1 });
  const recorder = declarePlatformMetrics(metrics, readings, movableClock());
  recorder.sagaEnded('completed', 1);
  metrics.summary({ name: 'app_attestation_batch_size', help: 'Leaves per batch', labels: {} }).observe({}, 5);
  const checked = spawnSync(promtool, ['check', 'metrics'], { input: (await metrics.scrape()).body, encoding: 'utf8' });
  expect(checked).toMatchObject({ stdout: '', stderr: '', status: 0 });
});

test('process metrics report memory, processor time and start time', async () => {
  const metrics = openMetrics();
  declareProcessMetrics(metrics);
  const families = await scrape(metrics);
  const value = (name: string) => families.get(name)?.samples.get(name) ?? Number.NaN;
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(value('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(value('nodejs_heap_used_bytes')).toBeGreaterThan(1e5);
  expect(value('nodejs_heap_size_total_bytes')).toBeGreaterThan(value('nodejs_heap_used_bytes') / 2);
  expect(value('nodejs_external_memory_bytes')).toBeGreaterThan(0);
  expect(value('process_open_fds')).toBeGreaterThan(3);
  expect(value('nodejs_eventloop_utilization_ratio')).toBeLessThanOrEqual(1);
  expect(Math.abs(value('process_start_time_seconds') * 1000 - performance.timeOrigin)).toBeLessThan(1);
});
