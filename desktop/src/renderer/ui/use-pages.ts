import type { Page } from '@recordproof/shared/api/common.ts';
import { useEffect, useState } from 'react';
import { useLoad } from './use-load.ts';

const pageSize = 50;
/** More than anybody reads to the end, and few enough to be asked for at once. */
const mostPages = 20;

type PageOf = { readonly page: number; readonly size: number };
type Pages<T> = {
  readonly state: ReturnType<typeof useLoad<{ readonly records: readonly T[]; readonly hasMore: boolean }>>['state'];
  readonly reload: () => void;
  readonly more: () => void;
};

/** A list that is read page by page, as far as the person has asked for. */
export function usePages<T>(key: string, load: (page: PageOf, signal: AbortSignal) => Promise<Page<T>>): Pages<T> {
  const [count, setCount] = useState(1);
  const { state, reload } = useLoad(key, async signal => {
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const pages = await Promise.all(numbers.map(page => load({ page, size: pageSize }, signal)));
    const records = pages.flatMap(page => page.records);
    return { records, hasMore: count < mostPages && records.length < (pages[0]?.total ?? 0) };
  });
  useEffect(() => {
    if (count > 1) reload();
  }, [count, reload]);
  return { state, reload, more: () => setCount(now => now + 1) };
}
