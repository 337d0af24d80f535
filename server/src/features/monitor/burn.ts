// How fast the budgets of the objectives are used up: pure. A pair of windows fires when both burn too fast, the long one
// so that a blip is no alert, the short one so that the alert ends soon after its cause. deploy/prometheus says the same.
import { budgets, type Goal, type GoalCounts, goals } from '../../platform/telemetry/goals.ts';

export const burnRates = [
  { severity: 'critical', shortMinutes: 5, longMinutes: 60, factor: 14.4 },
  { severity: 'warning', shortMinutes: 30, longMinutes: 360, factor: 6 },
  { severity: 'info', shortMinutes: 60, longMinutes: 1440, factor: 3 },
] as const;

export const longestMinutes = 1440;

/** The windows that are looked at, each once. */
export const windowMinutes: readonly number[] = [
  ...new Set(burnRates.flatMap(({ shortMinutes, longMinutes }) => [shortMinutes, longMinutes])),
];

type Severity = (typeof burnRates)[number]['severity'];
export const notBurning = 'none';

export type Sums = ReadonlyMap<number, ReadonlyMap<string, GoalCounts>>;

/** Of each objective the worst that fires. `sums`: by the minutes of the window. */
export const judgeBurn = (sums: Sums): { goal: Goal; severity: Severity | typeof notBurning }[] =>
  goals.map(goal => {
    const isBurning = (minutes: number, factor: number): boolean => {
      const { good, bad } = sums.get(minutes)?.get(goal) ?? { good: 0, bad: 0 };
      return bad > 0 && bad / (good + bad) > factor * budgets[goal];
    };
    const worst = burnRates.find(
      ({ shortMinutes, longMinutes, factor }) => isBurning(shortMinutes, factor) && isBurning(longMinutes, factor),
    );
    return { goal, severity: worst?.severity ?? notBurning };
  });
