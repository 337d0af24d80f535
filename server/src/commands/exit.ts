// Exit codes and errors of server commands.

/** Exit codes of commands; they follow sysexits.h, as those of the client do. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Completed in part: for instance a restore that left out damaged files. */
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

/** Invalid command line. */
export { UsageError } from '@recordproof/shared/node/read-arguments.ts';

/** Valid command line, but not possible in the current state; the message says why and what to do. */
export class CommandRejected extends Error {}

/** Ctrl-C or Ctrl-D at a prompt. */
export class Interrupted extends Error {}
