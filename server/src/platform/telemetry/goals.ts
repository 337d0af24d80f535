// Service level objectives: the events that count for each, and their error budgets over 30 days. One counter for all,
// so that Prometheus rules and the server's own alerts use the same numbers.
import type { Metrics } from './metrics.ts';

export const goals = ['upload-success', 'attestation-latency', 'storage-availability', 'api-errors'] as const;
export type Goal = (typeof goals)[number];

/** Fraction of events that may be bad. */
export const budgets: Readonly<Record<Goal, number>> = {
  'upload-success': 0.005,
  'attestation-latency': 0.01,
  'storage-availability': 0.001,
  'api-errors': 0.005,
};

/** A candidate that waited longer for its batch is a bad event. */
export const attestationGoalSeconds = 5;

export type GoalCounts = { readonly good: number; readonly bad: number };

export type Goals = {
  record(goal: Goal, isGood: boolean): void;
  /** Counts on this server since the last call. */
  take(): ReadonlyMap<Goal, GoalCounts>;
  /** Counts on this server since its start. */
  total(goal: Goal): GoalCounts;
};

export function openGoals(metrics: Metrics): Goals {
  const counted = new Map(goals.map(goal => [goal, { good: 0, bad: 0 }]));
  metrics.totals({
    name: 'app_slo_events_total',
    help: 'Events that a service level objective judges, by whether they kept to it',
    labels: { slo: goals, outcome: ['good', 'bad'] },
    read: () =>
      [...counted].flatMap(([slo, { good, bad }]) => [
        { labels: { slo, outcome: 'good' }, value: good } as const,
        { labels: { slo, outcome: 'bad' }, value: bad } as const,
      ]),
  });
  const copy = () => new Map([...counted].map(([goal, counts]) => [goal, { ...counts }]));
  let before = copy();
  return {
    record: (goal, isGood) => {
      const counts = counted.get(goal);
      if (counts) counts[isGood ? 'good' : 'bad'] += 1;
    },
    total: goal => ({ good: 0, bad: 0, ...counted.get(goal) }),
    take: () => {
      const now = copy();
      const since = [...now].map(([goal, { good, bad }]) => {
        const last = before.get(goal);
        return [goal, { good: good - (last?.good ?? 0), bad: bad - (last?.bad ?? 0) }] as const;
      });
      before = now;
      return new Map(since.filter(([, { good, bad }]) => good + bad > 0));
    },
  };
}
