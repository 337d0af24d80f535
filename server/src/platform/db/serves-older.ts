// Check whether a migration is safe while servers of an older version run, which keep using the old columns.
// Unknown statements count as unsafe.

const harmless: readonly RegExp[] = [
  /^create table (?!.* as )/,
  /^create index /,
  /^create extension /,
  /^comment on /,
];

/** Older servers insert rows without the column. */
const isOptional = (column: string): boolean => !/\bnot null\b/.test(column) || /\bdefault\b/.test(column);

function isHarmless(statement: string): boolean {
  const text = statement.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const column = /^alter table \S+ add column (.*)$/.exec(text)?.[1];
  if (column !== undefined) return isOptional(column) && !/\b(unique|check|references)\b/.test(column);
  return harmless.some(pattern => pattern.test(text));
}

/** Unsafe are, for instance, triggers, unique indexes, changed or dropped columns, and updated rows. */
export const servesOlder = (statements: readonly string[]): boolean => statements.every(isHarmless);
