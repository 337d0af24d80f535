// One finding of the doctor.

/** `error`: broken or unsafe. `warning`: it works now and may fail later. */
type Status = 'ok' | 'warning' | 'error';

export type Finding = {
  /** The subject, one word: clock, keys, disk, … */
  readonly about: string;
  readonly status: Status;
  readonly found: string;
  /** What to do; absent if nothing. */
  readonly remedy?: string;
};

export const ok = (about: string, found: string): Finding => ({ about, status: 'ok', found });

const problem =
  (status: Status) =>
  (about: string, found: string, remedy: string): Finding => ({ about, status, found, remedy });

export const warning = problem('warning');
export const failure = problem('error');
