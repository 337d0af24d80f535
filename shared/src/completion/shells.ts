// Completion scripts by shell.
import { toBash } from './bash.ts';
import { toFish } from './fish.ts';
import { toZsh } from './zsh.ts';

/** The completion script of a program, for each shell. */
export const completionFor = { bash: toBash, zsh: toZsh, fish: toFish } as const;

export type Shell = keyof typeof completionFor;
export const shells = Object.keys(completionFor) as Shell[];

export const findShell = (word: string | undefined): Shell | undefined => shells.find(shell => shell === word);
