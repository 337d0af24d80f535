// Terms of a link: lifetime and number of uses.
export const minutesOf = { hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
export type Lifetime = keyof typeof minutesOf;

/** Null for an empty field: no limit. */
export const toLimit = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));
