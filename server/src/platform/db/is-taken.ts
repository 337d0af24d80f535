/**
 * Whether a write failed because another row has what must be unique. On PostgreSQL the transaction can only be undone
 * then; a check before the write does not see who writes at the same moment.
 */
export function isTaken(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE';
}
