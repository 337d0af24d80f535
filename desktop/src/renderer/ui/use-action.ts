import { useState } from 'react';

type Action<A extends unknown[]> = {
  readonly run: (...given: A) => Promise<void>;
  readonly isBusy: boolean;
  readonly error: unknown;
};

/** Something that a person sets going once at a time; what went wrong is kept until the next try. */
export function useAction<A extends unknown[]>(work: (...given: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  return {
    isBusy,
    error,
    run: async (...given) => {
      if (isBusy) return;
      setBusy(true);
      setError(null);
      try {
        await work(...given);
      } catch (failure) {
        setError(failure);
      } finally {
        setBusy(false);
      }
    },
  };
}
