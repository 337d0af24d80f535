// The one source of "now". Tests replace it by a clock they can move; nothing else calls Date.now().

export type Clock = {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();
export const toIsoOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : toIso(milliseconds);
