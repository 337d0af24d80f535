// Detection of errors whose cause is a full disk, store or database.
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

export function lacksSpace(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, kind } = cause as { readonly code?: unknown; readonly kind?: unknown };
    if (kind === 'NO_SPACE' || fullCodes.has(code)) return true;
  }
  return false;
}
