// Classification of migration statements: older servers keep running beside them, or not.
import { expect, test } from 'vitest';
import { servesOlder } from './serves-older.ts';

test.each([
  'create table thing (id bigint primary key, name text not null unique)',
  '  CREATE INDEX thing_name\n on thing (name)',
  'create extension if not exists pg_trgm',
  'alter table thing add column note text',
  `alter table thing add column state text not null default 'NEW'`,
])('older servers keep running beside: %s', statement => {
  expect(servesOlder([statement])).toBe(true);
});

test.each([
  'create unique index thing_name on thing (name)',
  'create table other as select * from thing',
  'create trigger thing_insert after insert on thing begin select 1; end',
  'alter table thing add column note text not null',
  'alter table thing add column other bigint references other (id)',
  'alter table thing add column size bigint default 0 check (size > 0)',
  'alter table thing rename column note to remark',
  'alter table thing drop column note',
  'drop index thing_name',
  'update thing set note = name',
  'insert into thing (id) values (1)',
])('older servers must be stopped before: %s', statement => {
  expect(servesOlder([statement])).toBe(false);
  expect(servesOlder(['create index thing_name on thing (name)', statement])).toBe(false);
});
