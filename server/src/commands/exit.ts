/** How a command ends; the numbers follow sysexits, as those of the client's command line do. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Not all, but everything that was possible: a restore that left out damaged files. */
  partial: 2,
  usage: 64,
  /** A backup from which nothing can be restored. */
  damaged: 65,
  nothingThere: 66,
  unavailable: 69,
  bug: 70,
  config: 78,
  interrupted: 130,
} as const;

export type Ending = keyof typeof exitCodes;

/** A command was called in a way it does not understand. */
export class UsageError extends Error {}

/** Somebody pressed Ctrl-C or Ctrl-D where a question was asked. */
export class Interrupted extends Error {}
