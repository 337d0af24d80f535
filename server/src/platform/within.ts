// Time limit for a promise: its value, or undefined on timeout. The promise itself continues.
export const within = async <T>(ms: number, promise: Promise<T>): Promise<T | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};
