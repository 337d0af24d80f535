/** A value at once where its source is in this process, a promise where it is not. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on without a promise where there is none: each one costs a request a turn of the loop. */
export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value);
