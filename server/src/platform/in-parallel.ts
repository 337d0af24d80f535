// Bounded parallel map.
const defaultLimit = 16;

/**
 * Runs the work with at most `limit` items at once; results are in the order of the items. Rejects on the first
 * failure.
 */
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
