const defaultLimit = 16;

/** The results in the order of the items; at most `limit` of them are under way at once. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  limit: number = defaultLimit,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
