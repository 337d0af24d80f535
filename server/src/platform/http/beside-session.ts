// A row that is prefetched in the statement that looks up the session, which saves a statement in calls that need one
// row by its path. It is as of that statement, and implies no permission.
import type { Beside, Caller } from './caller.ts';

export type BesideSession<Row = unknown> = Pick<Beside, 'toJson'> & {
  /** From the path, which is still unchecked; undefined where it names nothing. */
  readonly toValue: (params: unknown) => string | undefined;
  /** Undefined where it was not read: of callers without a session. */
  readonly rowOf: (caller: Caller) => Row | null | undefined;
};

export function toBeside(beside: BesideSession | undefined, params: unknown): Beside | undefined {
  const value = beside?.toValue(params);
  return beside === undefined || value === undefined ? undefined : { toJson: beside.toJson, value };
}

/** `rowOf` of a row that is read as JSON text. */
export function readBeside<Row>(caller: Caller): Row | null | undefined {
  if (caller.kind !== 'user' || caller.beside === undefined) return undefined;
  return caller.beside === null ? null : (JSON.parse(caller.beside) as Row);
}
