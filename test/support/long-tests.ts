// Selection of tests by duration: `npm test` runs the short ones, `npm run test:long` the others; a named file runs whole.
// A test that takes seconds has the tag `long`. Tests of features have the tag `long-on-postgres`, and `npm test` runs them
// on SQLite alone, if their work lies outside the database or if other tests send the same statements to PostgreSQL.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type TestTag = 'long' | 'long-on-postgres';

declare module 'vitest' {
  interface TestTags {
    tags: TestTag;
  }
}

export const lengthVariable = 'TEST_LENGTH';

export const tags: { readonly name: TestTag; readonly description: string }[] = [
  { name: 'long', description: 'Takes seconds: run by npm run test:long.' },
  { name: 'long-on-postgres', description: 'Run on PostgreSQL by npm run test:long.' },
];

const longTags = (engine: string | undefined): TestTag[] =>
  engine === 'postgres' ? ['long', 'long-on-postgres'] : ['long'];

/** The filter of a project; none when every test is run. */
export function filterByLength(engine: string | undefined): string[] | undefined {
  const long = longTags(engine).join(' || ');
  if (process.env[lengthVariable] === 'short') return [`!(${long})`];
  return process.env[lengthVariable] === 'long' ? [long] : undefined;
}

/** Leaves out files of which nothing would run, so that they are not loaded. */
export function selectByLength(root: string, files: string[], engine: string | undefined): string[] {
  const length = process.env[lengthVariable];
  if (length !== 'short' && length !== 'long') return files;
  const names = longTags(engine);
  return files.filter(file => {
    const text = readFileSync(join(root, file), 'utf8');
    const isWhole = new RegExp(`^// @module-tag (${names.join('|')})$`, 'm').test(text);
    return length === 'short' ? !isWhole : isWhole || names.some(name => text.includes(`tags: '${name}'`));
  });
}
