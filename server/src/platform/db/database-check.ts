// State of the database file's integrity check; after a clean stop the file counts as sound.
export type DatabaseCheckState =
  | { readonly kind: 'sound' | 'running' | 'unfinished' }
  /** The engine's messages. */
  | { readonly kind: 'damaged'; readonly findings: readonly string[] };

export type DatabaseCheck = { readonly state: DatabaseCheckState };
