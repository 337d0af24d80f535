// Lazy initialization: the value is created on first use, and again only if that failed.
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch(problem => {
      made = undefined;
      throw problem;
    });
    return made;
  };
}
