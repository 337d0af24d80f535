/** What is known about the file of the database: after a stop in order it is taken to be sound. */
export type DatabaseCheckState =
  | { readonly kind: 'sound' | 'running' | 'unfinished' }
  /** In the words of the engine. */
  | { readonly kind: 'damaged'; readonly findings: readonly string[] };

export type DatabaseCheck = { readonly state: DatabaseCheckState };
