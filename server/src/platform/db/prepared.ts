// Prepared queries for the hot path, compiled once. The builder gets one marker per argument.
import type { Compilable } from 'kysely';
import type { Awaitable } from '../awaitable.ts';
import type { Database } from './open-db.ts';
import type { Db } from './tables.ts';

export type Prepared<Row, Args extends readonly unknown[]> = (...args: Args) => Awaitable<Row | undefined>;

type Build<Row, Args extends readonly unknown[]> = (db: Db, markers: Args) => Compilable<Row>;

/** Returns the first row for these arguments. */
export function prepare<Row, Args extends readonly unknown[]>(
  { db, prepareFirst }: Pick<Database, 'db' | 'prepareFirst'>,
  build: Build<Row, Args>,
): Prepared<Row, Args> {
  const prepareOnce = (count: number) => {
    const markers = Array.from({ length: count }, (_, index) => ({ argument: index }));
    const compiled = build(db, markers as unknown as Args).compile();
    const order = compiled.parameters.map(parameter => markers.indexOf(parameter as { argument: number }));
    if (order.includes(-1)) throw new Error('a prepared query takes all its values as arguments');
    return { find: prepareFirst(compiled), order };
  };
  let prepared: ReturnType<typeof prepareOnce> | undefined;
  return (...args) => {
    prepared ??= prepareOnce(args.length);
    return prepared.find(prepared.order.map(index => args[index]));
  };
}
