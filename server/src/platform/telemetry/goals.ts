// The service level objectives: what counts towards each, and how much of it may go wrong in 30 days. One counter for all
// four, so that the rules of Prometheus and the watch inside this server judge the same numbers.
import type { Metrics } from './metrics.ts';

export const goals = ['upload-success', 'attestation-latency', 'storage-availability', 'api-errors'] as const;
export type Goal = (typeof goals)[number];

/** Share of the events that may be bad. */
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
  seen(goal: Goal, isGood: boolean): void;
  /** What was seen on this server since this was last asked. */
  take(): ReadonlyMap<Goal, GoalCounts>;
  /** All that was seen on this server since it started. */
  total(goal: Goal): GoalCounts;
};

const none: GoalCounts = { good: 0, bad: 0 };

const oneMore = ({ good, bad }: GoalCounts = none, isGood: boolean): GoalCounts =>
  isGood ? { good: good + 1, bad } : { good, bad: bad + 1 };

export function openGoals(metrics: Metrics): Goals {
  const events = metrics.counter({
    name: 'app_slo_events_total',
    help: 'Events that a service level objective judges, by whether they kept to it',
    labels: { slo: goals, outcome: ['good', 'bad'] },
  });
  const totals = new Map<Goal, GoalCounts>();
  let since = new Map<Goal, GoalCounts>();
  return {
    seen: (goal, isGood) => {
      events.add({ slo: goal, outcome: isGood ? 'good' : 'bad' });
      since.set(goal, oneMore(since.get(goal), isGood));
      totals.set(goal, oneMore(totals.get(goal), isGood));
    },
    total: goal => totals.get(goal) ?? none,
    take: () => {
      const taken = since;
      since = new Map();
      return taken;
    },
  };
}
