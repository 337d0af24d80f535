/** How a command ends; the numbers follow sysexits. */
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
  config: 78,
  interrupted: 130,
} as const;

/** A command was called in a way it does not understand. */
export class UsageError extends Error {}

/** Somebody pressed Ctrl-C or Ctrl-D where a question was asked. */
export class Interrupted extends Error {}
