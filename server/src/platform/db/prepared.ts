// Queries on the hot path, compiled once. The builder gets one marker per argument and puts it where a value goes.
import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './tables.ts';

export type Prepared<Row, Args extends readonly unknown[]> = (...args: Args) => Promise<Row | undefined>;

type Build<Row, Args extends readonly unknown[]> = (markers: Args) => Compilable<Row>;

/** The first row that the query finds for these arguments. */
export function prepare<Row, Args extends readonly unknown[]>(db: Db, build: Build<Row, Args>): Prepared<Row, Args> {
  let cached: { compiled: CompiledQuery<Row>; order: readonly number[] } | undefined;
  const compileOnce = (count: number) => {
    const markers = Array.from({ length: count }, (_, index) => ({ argument: index }));
    const compiled = build(markers as unknown as Args).compile();
    const order = compiled.parameters.map(parameter => markers.indexOf(parameter as { argument: number }));
    if (order.includes(-1)) throw new Error('a prepared query takes all its values as arguments');
    return { compiled, order };
  };
  return async (...args) => {
    cached ??= compileOnce(args.length);
    const parameters = cached.order.map(index => args[index]);
    const { rows } = await db.executeQuery<Row>({ ...cached.compiled, parameters });
    return rows[0];
  };
}
