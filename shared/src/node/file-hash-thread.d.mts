// Requests and answers of the hashing thread.

/** `gone`: deleted since the folder was read; `other`: no longer a file. */
export type FileProblem = 'changed' | 'gone' | 'other' | 'unreadable';

export type FileOutcome = { readonly size: number; readonly sha256: string } | { readonly problem: FileProblem };

/** The outcomes of the first files of the task: at least one, up to the limit of bytes. */
export type HashFilesTask = { readonly paths: readonly string[] };
