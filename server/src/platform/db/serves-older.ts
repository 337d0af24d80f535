// Whether statements of a schema step leave a server alone that knows nothing of them: it goes on asking for what it knows,
// and writes rows without what it does not know. Whatever is not surely harmless is taken to be harmful.

const harmless: readonly RegExp[] = [
  /^create table (?!.* as )/,
  /^create index /,
  /^create extension /,
  /^comment on /,
];

/** Written by an older server, a row has the default, or nothing. */
const isOptional = (column: string): boolean => !/\bnot null\b/.test(column) || /\bdefault\b/.test(column);

function isHarmless(statement: string): boolean {
  const text = statement.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const column = /^alter table \S+ add column (.*)$/.exec(text)?.[1];
  if (column !== undefined) return isOptional(column) && !/\b(unique|check|references)\b/.test(column);
  return harmless.some(pattern => pattern.test(text));
}

/** Triggers, unique indexes, changed or dropped things, rows that are moved: those who do not know of them must not run. */
export const servesOlder = (statements: readonly string[]): boolean => statements.every(isHarmless);
