// @module-tag long-on-postgres
// Metrics scraped from a whole server after an hour of mixed calls: names, types and labels.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { putKeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import type { TestApp } from '../../../test/support/app.ts';
import { eachApp, type StartApp } from '../../../test/support/each-app.ts';
import { whyNotWith } from '../../../test/support/programs.ts';
import { type Family, parseMetrics } from '../../../test/support/prometheus.ts';
import { promtool } from '../../../test/support/promtool.ts';
import { beginRotation, masterKeysOf, rotating, toLocal } from '../../../test/support/rotations.ts';
import { share } from '../../../test/support/shares.ts';
import { sendFile, storeProxied } from '../../../test/support/uploads.ts';

const operatorToken = 'a-token-of-whoever-scrapes-metrics';
const settings = {
  ...rotating,
  RECORDPROOF_MANAGEMENT_TOKEN: operatorToken,
  ATTESTATION_PRODUCTION_ENABLED: 'true',
  ATTESTATION_PRODUCTION_MIN_BATCH_SIZE: '1',
};

/** As the specification names them; dotted ones as Prometheus writes them. */
const named: readonly (readonly [name: string, type: string, labels: readonly string[]])[] = [
  ['saga_total', 'counter', ['status']],
  ['saga_duration', 'histogram', []],
  ['saga_running', 'gauge', []],
  ['saga_pending_compensation', 'gauge', []],
  ['outbox_events_total', 'counter', ['status']],
  ['outbox_publish_latency', 'histogram', []],
  ['outbox_pending', 'gauge', []],
  ['outbox_exhausted', 'gauge', []],
  ['s3_node_online_status', 'gauge', ['node']],
  ['s3_node_usage_percent', 'gauge', ['node']],
  ['app_attestation_candidate_total', 'counter', ['result']],
  ['app_attestation_candidate_backlog', 'gauge', ['status']],
  ['app_attestation_batch_total', 'counter', ['status']],
  ['app_attestation_batch_size', 'summary', []],
  ['app_attestation_batch_latency_seconds', 'histogram', []],
  ['app_attestation_production_run_total', 'counter', ['result']],
  ['app_key_rotation_remaining', 'gauge', []],
  ['app_key_rotation_failed', 'gauge', []],
  ['app_key_rotation_retirement_blocked', 'gauge', []],
  ['app_key_rotation_items_total', 'counter', ['outcome', 'failure_category']],
  ['app_crypto_suite_decision_total', 'counter', ['type', 'operation', 'outcome', 'reason']],
  ['app_crypto_proof_signing_decision_total', 'counter', ['operation', 'outcome', 'reason']],
  ['app_file_key_wrapping_duration_seconds', 'histogram', ['operation', 'failure_category']],
  ['http_server_requests_seconds', 'histogram', ['method', 'route', 'status']],
  ['app_slo_events_total', 'counter', ['slo', 'outcome']],
];

async function liveAnHour(app: TestApp): Promise<void> {
  const ada = await app.person('ada');
  const root = await app.person('root', { role: 'admin' });
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const { fileHash } = await storeProxied(ada, randomBytes(5000));
    await sendFile(ada, randomBytes(70));
    await share(ada, fileHash);
    app.clock.advance(15 * 60_000);
    await app.drain();
  }
  await (await masterKeysOf(app)).addVersion();
  await root.call(putKeyRotationPolicy, toLocal('2'));
  await beginRotation(root, 'APPLY');
  app.clock.advance(60_000);
  await app.drain();
}

const labelsOf = (series: string): string[] => [...series.matchAll(/(?:\{|,)(\w+)=/g)].map(([, name = '']) => name);

/** The labels of its series, without those that belong to the type. */
const labelsOfFamily = ({ samples }: Family): string[] => {
  const names = new Set([...samples.keys()].flatMap(labelsOf));
  return [...names].filter(name => name !== 'le' && name !== 'quantile').sort();
};

const hasMoved = (families: ReadonlyMap<string, Family>, name: string, part: string): boolean =>
  [...(families.get(name)?.samples ?? [])].some(([series, value]) => series.includes(part) && value > 0);

async function scrapeAfterAnHour(start: StartApp): Promise<string> {
  await using app = await start({ env: settings });
  await liveAnHour(app);
  app.anonymous.token = operatorToken;
  return (await app.anonymous.fetch('/actuator/prometheus')).text();
}

eachApp(start => {
  test('after an hour of mixed calls every documented metric is exported with its type and exactly its labels', async ({
    annotate,
  }) => {
    const body = await scrapeAfterAnHour(start);
    const families = parseMetrics(body);
    const seen = named.map(([name]) => {
      const family = families.get(name);
      return [name, family?.type, family && labelsOfFamily(family)];
    });
    expect(seen).toEqual(named.map(([name, type, labels]) => [name, type, [...labels].sort()]));
    for (const [name, part] of [
      ['outbox_events_total', 'published'],
      ['saga_total', 'completed'],
      ['app_attestation_candidate_total', 'batched'],
      ['app_attestation_batch_total', 'completed'],
      ['app_attestation_batch_size', '_count'],
      ['app_key_rotation_items_total', 'SUCCEEDED'],
      ['app_crypto_proof_signing_decision_total', 'sign'],
      ['app_slo_events_total', 'attestation-latency'],
      ['app_slo_events_total', 'storage-availability'],
    ] as const)
      expect(hasMoved(families, name, part), `${name} ${part}`).toBe(true);
    await everyQueryIsAnswered(families);
    const missing = whyNotWith('promtool');
    if (missing === null) expect(await promtool(['check', 'metrics'], body)).toBe('');
    else await annotate(missing);
  });
});

const deployed = (path: string): Promise<string> =>
  readFile(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');

const ours = /\b(?:recordproof:\w+:\w+|(?:saga|outbox|s3|app|http_server|process|nodejs|event)_[a-z0-9_]+)\b/g;

/** Whatever the dashboard and the rules ask for is a metric of ours, or a recording of one. */
async function everyQueryIsAnswered(families: ReadonlyMap<string, Family>): Promise<void> {
  const recordings = await deployed('prometheus/recording-rules.yml');
  const recorded = new Set([...recordings.matchAll(/record: (\S+)/g)].map(([, name]) => name));
  const dashboard = JSON.parse(await deployed('grafana/recordproof.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const expressions = [...queries, recordings, await deployed('prometheus/alerting-rules.yml')];
  const asked = new Set(expressions.flatMap(text => text.match(ours) ?? []));
  expect(queries.length).toBeGreaterThan(20);
  const known = (name: string) =>
    recorded.has(name) || families.has(name) || families.has(name.replace(/_(bucket|sum|count)$/, ''));
  expect([...asked].filter(name => !known(name))).toEqual([]);
}
