// Exit codes of the verifier. Scripts rely on the numbers: 0 means VALID and nothing else, except for help and version.
import type { Outcome } from '../verify/report.ts';

export const exitCodes: Readonly<Record<Outcome, number>> = { VALID: 0, INVALID: 2, INDETERMINATE: 3, ERROR: 4 };
export const usageExitCode = 64;
