// Outcome of a command: its output, exit code and errors.

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

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const toLines = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/** The lines, or none. */
export const linesIf = (isShown: boolean, ...lines: readonly string[]): readonly string[] => (isShown ? lines : []);

export type Answer = { readonly json: unknown; readonly text: string };

/** Prints text for people, or with --json one JSON document for programs. Returns the exit code. */
export function answer(asJson: boolean | undefined, { json, text }: Answer, isSuccess = true): number {
  process.stdout.write(asJson ? toJson(json) : text);
  return isSuccess ? exitCodes.ok : exitCodes.failed;
}
