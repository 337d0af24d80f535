// The rules of deploy/prometheus, tested by promtool: alerts fire when they should, and otherwise never.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { budgets, goals } from '@recordproof/server/platform/telemetry/goals.ts';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { testWith } from '../support/programs.ts';
import { promtool } from '../support/promtool.ts';

const ruleFile = (name: string) => fileURLToPath(new URL(`../../deploy/prometheus/${name}`, import.meta.url));
const ruleFiles = ['recording-rules.yml', 'alerting-rules.yml'].map(ruleFile);

/** That many minutes in which the error budget is used up that many times too fast. */
type Phase = readonly [minutes: number, burn: number];

const eventsAMinute = 1000;
const day = 1440;

function toSeries(slo: string, budget: number, phases: readonly Phase[]) {
  const totals = { good: 0, bad: 0 };
  const values = { good: ['0'], bad: ['0'] };
  for (const [minutes, burn] of phases) {
    for (let minute = 0; minute < minutes; minute += 1) {
      totals.bad += eventsAMinute * budget * burn;
      totals.good += eventsAMinute * (1 - budget * burn);
      values.good.push(totals.good.toFixed(3));
      values.bad.push(totals.bad.toFixed(3));
    }
  }
  return (['good', 'bad'] as const).map(outcome => ({
    series: `app_slo_events_total{job="recordproof", slo="${slo}", outcome="${outcome}"}`,
    values: values[outcome].join(' '),
  }));
}

const firing = 'count by (severity) (ALERTS{alertstate="firing"})';
const toSamples = (severities: readonly string[]) =>
  severities.map(severity => ({ labels: `{severity="${severity}"}`, value: 1 }));

/** promtool picks a random order: alerts would sometimes be evaluated with the records of the previous interval. */
const group_eval_order = ['recordproof-objectives', 'recordproof-burn-rates', 'recordproof-parts'];

/** The resolution that a window of five minutes needs; a finer one only takes longer. */
const evaluation_interval = '5m';

async function judge(tests: readonly object[], interval = evaluation_interval): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  try {
    const path = join(folder, 'rules.test.yml');
    const judged = { rule_files: ruleFiles, evaluation_interval: interval, group_eval_order, tests };
    await writeFile(path, stringify(judged));
    return await promtool(['test', 'rules', path]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Scenario = readonly [what: string, phases: readonly Phase[], severities: readonly string[]];

const toTest = (slo: (typeof goals)[number], [name, phases, severities]: Scenario) => ({
  name,
  interval: '1m',
  input_series: toSeries(slo, budgets[slo], phases),
  promql_expr_test: [
    {
      expr: firing,
      eval_time: `${phases.reduce((sum, [minutes]) => sum + minutes, 0)}m`,
      exp_samples: toSamples(severities),
    },
  ],
});

const test = testWith('promtool');

test('the alert rules are well-formed', async () => {
  expect(await promtool(['check', 'rules', ...ruleFiles])).toBe('');
  expect(await promtool(['check', 'config', '--syntax-only', ruleFile('prometheus.yml')])).toBe('');
});

const scenarios: readonly Scenario[] = [
  ['used up 15 times too fast all along', [[day, 15]], ['critical', 'warning', 'info']],
  ['used up 14 times too fast all along', [[day, 14]], ['warning', 'info']],
  ['used up 5 times too fast all along', [[day, 5]], ['info']],
  ['used up 2.9 times too fast all along', [[day, 2.9]], []],
  [
    'used up for ten minutes only',
    [
      [day, 0],
      [10, 15],
    ],
    [],
  ],
  [
    'used up for an hour',
    [
      [day, 0],
      [60, 15],
    ],
    ['critical'],
  ],
  [
    'used up for an hour, and not any more',
    [
      [day, 0],
      [60, 15],
      [10, 0],
    ],
    [],
  ],
  [
    'used up for six hours, slowly',
    [
      [day, 0],
      [360, 6.3],
    ],
    ['warning'],
  ],
  [
    'used up for six hours, and not any more',
    [
      [day, 0],
      [360, 6.3],
      [35, 0],
    ],
    [],
  ],
  [
    'used up for a day, more slowly',
    [
      [day, 0],
      [day, 3.1],
    ],
    ['info'],
  ],
  [
    'used up for a day, and not any more',
    [
      [day, 0],
      [day, 3.1],
      [65, 0],
    ],
    [],
  ],
];

// Days of samples: seconds on an idle machine.
const patience = { timeout: 300_000 };

test('a budget alert fires when both windows of its pair burn, and at no other time', patience, async () => {
  expect(await judge(scenarios.map(scenario => toTest('api-errors', scenario)))).toBe('');
});

test('every objective is evaluated against its own budget', patience, async () => {
  const quick: Scenario[] = [
    ['too fast', [[65, 15]], ['critical', 'warning', 'info']],
    ['not too fast', [[65, 2.9]], []],
  ];
  expect(await judge(goals.flatMap(slo => quick.map(scenario => toTest(slo, scenario))))).toBe('');
});

test('an objective with few events fires after three bad events, not after two', async () => {
  const minutes = 6;
  const judgeBad = (bad: number) => ({
    name: `${bad} bad events`,
    interval: '1m',
    input_series: [
      {
        series: 'app_slo_events_total{job="recordproof", slo="storage-availability", outcome="good"}',
        values: `0x${minutes}`,
      },
      {
        series: 'app_slo_events_total{job="recordproof", slo="storage-availability", outcome="bad"}',
        values: `0+1x${bad} ${bad}x${minutes - bad - 1}`,
      },
    ],
    promql_expr_test: [
      {
        expr: firing,
        eval_time: '5m',
        exp_samples: toSamples(bad < 3 ? [] : ['critical', 'warning', 'info']),
      },
    ],
  });
  expect(await judge([1, 2, 3].map(judgeBad))).toBe('');
});

test('promtool reports a wrong expectation', async () => {
  expect(await judge([toTest('api-errors', ['quiet', [[60, 0]], ['critical']])])).toContain('FAILED');
});

test('failing servers, outboxes and sagas fire their alerts after their delay, and no others', async () => {
  const of = (series: string, values: string) => ({ series: `${series}{job="recordproof", instance="a"}`, values });
  const names = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const at = (eval_time: string, ...alerts: string[]) => ({
    expr: names,
    eval_time,
    exp_samples: alerts.map(alert => ({ labels: `{alertname="RecordProof${alert}"}`, value: 1 })),
  });
  const input_series = [
    of('up', '1x9 0x200'),
    of('outbox_exhausted', '20x19 21x200'),
    of('outbox_pending', '500x29 501x200'),
    of('saga_pending_compensation', '50x39 51x200'),
    of('app_key_rotation_remaining', '7x200'),
  ];
  const moments = [
    at('11m'),
    at('12m', 'ServerGone'),
    at('22m', 'ServerGone', 'EventsGivenUp'),
    at('40m', 'ServerGone', 'EventsGivenUp', 'EventsWait'),
    at('50m', 'ServerGone', 'EventsGivenUp', 'EventsWait', 'SagasWaitToBeUndone'),
    at('125m', 'ServerGone', 'EventsGivenUp', 'EventsWait', 'SagasWaitToBeUndone', 'KeyRotationStands'),
  ];
  expect(await judge([{ interval: '1m', input_series, promql_expr_test: moments }], '1m')).toBe('');
});

test('health, damage, disk and backup alerts fire at their limit, and not before', async () => {
  const of = (series: string, values: string, labels = '') => ({
    series: `${series}{job="recordproof", instance="a"${labels}}`,
    values,
  });
  const names = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const at = (eval_time: string, ...alerts: string[]) => ({
    expr: names,
    eval_time,
    exp_samples: alerts.map(alert => ({ labels: `{alertname="RecordProof${alert}"}`, value: 1 })),
  });
  const until = (limit: string, minute: number, beyond: string) => `${limit}x${minute - 1} ${beyond}x1000`;
  const input_series = [
    of('app_health_component', until('0', 10, '1'), ', component="scrub"'),
    of('app_health_component', until('0', 30, '2'), ', component="encryption"'),
    of('app_integrity_alerts_unresolved', until('0', 40, '1')),
    of('app_disk_free_bytes', until('10', 50, '9')),
    of('app_disk_total_bytes', '100x1000'),
    of('app_disk_reserve_released', until('0', 70, '1')),
    of('app_integrity_scrub_oldest_seconds', until('2592000', 80, '2592001')),
    of('app_integrity_scrub_within_seconds', '2592000x1000'),
    of('app_backup_age_seconds', until('691200', 160, '691201')),
    of('app_integrity_scrub_unreadable_objects', until('0', 240, '1')),
  ];
  const keys = ['KeysUnusable', 'PartDown', 'PartDegraded'];
  const disk = [...keys, 'FilesDamaged', 'DiskLow', 'ReserveReleased'];
  const moments = [
    at('19m'),
    at('20m', 'PartDegraded'),
    at('31m', 'KeysUnusable', 'PartDegraded'),
    at('32m', ...keys),
    at('40m', ...keys, 'FilesDamaged'),
    at('60m', ...keys, 'FilesDamaged', 'DiskLow'),
    at('70m', ...disk),
    at('140m', ...disk, 'ScrubLate'),
    at('220m', ...disk, 'ScrubLate', 'BackupOld'),
    at('302m', ...disk, 'ScrubLate', 'BackupOld', 'ScrubFails'),
  ];
  expect(await judge([{ interval: '1m', input_series, promql_expr_test: moments }], '1m')).toBe('');
});
