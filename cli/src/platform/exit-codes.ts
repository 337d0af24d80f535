// Exit codes. Scripts rely on the numbers: one is never changed and never given a second meaning.
// They follow sysexits.h where it has one that fits; docs/guide/cli.md prints this table (a test compares them).

export const exitCodes = {
  ok: { code: 0, meaning: 'it worked' },
  refused: { code: 1, meaning: 'the server rejected the request: not found, taken, wrong code, wrong state' },
  invalid: { code: 2, meaning: 'verify: the proof does not hold' },
  indeterminate: { code: 3, meaning: 'verify: nothing speaks against the proof, but it is not confirmed' },
  unverifiable: { code: 4, meaning: 'verify: the proof could not be checked' },
  usage: { code: 64, meaning: 'the command line is wrong, or a value is missing without a terminal to ask at' },
  damaged: { code: 65, meaning: 'bytes are damaged, or were changed while they were read' },
  unreachable: { code: 69, meaning: 'the server cannot be reached, or is not a RecordProof server' },
  bug: { code: 70, meaning: 'an internal error (bug), here or on the server' },
  later: {
    code: 75,
    meaning: 'temporary: rate limit, account locked, server busy; run the same command later',
  },
  denied: { code: 77, meaning: 'not signed in, session over, wrong password, or not allowed' },
  config: { code: 78, meaning: 'a file of the program is broken, or others could read or change it' },
  interrupted: { code: 130, meaning: 'ended by Ctrl-C or Ctrl-D' },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type Ending = keyof typeof exitCodes;
