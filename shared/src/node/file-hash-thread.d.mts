// What is asked of the thread, and what it answers.

/** `gone` was there when the folder was read; `other` is no file any more. */
export type FileProblem = 'changed' | 'gone' | 'other' | 'unreadable';

export type FileOutcome = { readonly size: number; readonly sha256: string } | { readonly problem: FileProblem };

/** The answer has an outcome for the first of them: at least one, and so many that there was enough to do. */
export type HashFilesTask = { readonly places: readonly string[] };
