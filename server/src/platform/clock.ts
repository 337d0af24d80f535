// The only source of the current time. Tests replace it by a movable clock; nothing else calls Date.now().

export type Clock = {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();
/** For people: to the minute. */
export const toUtcMinute = (milliseconds: number): string =>
  `${toIso(milliseconds).slice(0, 16).replace('T', ' ')} UTC`;
export const toIsoOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : toIso(milliseconds);
