// On which terms a link is given out.

export const minutesOf = { hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
export type Lifetime = keyof typeof minutesOf;

/** Null where nothing was typed: as often as anybody likes. */
export const toLimit = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));
