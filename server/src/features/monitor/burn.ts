// Burn rates of the error budgets of objectives. Pure. A pair of windows fires if both burn too fast: the long one
// ignores short spikes, the short one ends the alert soon after its cause. Fewer than three bad events never fire, such
// as one slow probe after a start. deploy/prometheus has the same rules.
import { budgets, type Goal, type GoalCounts, goals } from '../../platform/telemetry/goals.ts';

export const burnRates = [
  { severity: 'critical', shortMinutes: 5, longMinutes: 60, factor: 14.4 },
  { severity: 'warning', shortMinutes: 30, longMinutes: 360, factor: 6 },
  { severity: 'info', shortMinutes: 60, longMinutes: 1440, factor: 3 },
] as const;

export const longestMinutes = 1440;

/** All windows, without duplicates. */
export const windowMinutes: readonly number[] = [
  ...new Set(burnRates.flatMap(({ shortMinutes, longMinutes }) => [shortMinutes, longMinutes])),
];

/** In each window. */
const leastBadEvents = 3;

type Severity = (typeof burnRates)[number]['severity'];
export const notBurning = 'none';

export type Sums = ReadonlyMap<number, ReadonlyMap<string, GoalCounts>>;

/** The most severe alert of each objective. `sums`: by window length in minutes. */
export const classifyBurn = (sums: Sums): { goal: Goal; severity: Severity | typeof notBurning }[] =>
  goals.map(goal => {
    const isBurning = (minutes: number, factor: number): boolean => {
      const { good, bad } = sums.get(minutes)?.get(goal) ?? { good: 0, bad: 0 };
      return bad >= leastBadEvents && bad / (good + bad) > factor * budgets[goal];
    };
    const worst = burnRates.find(
      ({ shortMinutes, longMinutes, factor }) => isBurning(shortMinutes, factor) && isBurning(longMinutes, factor),
    );
    return { goal, severity: worst?.severity ?? notBurning };
  });
