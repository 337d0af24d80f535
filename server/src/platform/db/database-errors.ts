// Errors of the database that code tells apart.

/** The response to a commit was lost: it may or may not have taken effect. */
export class OutcomeUnknown extends Error {}

/**
 * Whether a write violated a unique constraint. On PostgreSQL the transaction must then be rolled back; a check before
 * the write misses concurrent writers.
 */
export function isTaken(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE';
}
