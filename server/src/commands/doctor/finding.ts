// What the doctor says of one thing.

/** `error`: it does not work, or not safely. `warning`: it works, and will not always. */
type Status = 'ok' | 'warning' | 'error';

export type Finding = {
  /** One of a few words: clock, keys, disk, … */
  readonly about: string;
  readonly status: Status;
  readonly found: string;
  /** What to do; absent where nothing is to be done. */
  readonly remedy?: string;
};

export const ok = (about: string, found: string): Finding => ({ about, status: 'ok', found });

export const warning = (about: string, found: string, remedy: string): Finding => ({
  about,
  status: 'warning',
  found,
  remedy,
});

export const failure = (about: string, found: string, remedy: string): Finding => ({
  about,
  status: 'error',
  found,
  remedy,
});
