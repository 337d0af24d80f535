// Type of a value, or of a promise where its source is outside this process.
export type Awaitable<T> = T | Promise<T>;

/** `then` without a promise for plain values: each promise costs a request a turn of the event loop. */
export const andThen = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value);
