// Files of one folder, or those that a search finds in it and below it; new ones appear with their events.
import { type fileSortFields, listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { useEffect, useMemo } from 'react';
import { useBridge } from '../../context.ts';
import { useEvents } from '../../ui/hooks.ts';
import { type FilePages, openFilePages } from './file-pages.ts';
import { type Filters, toQuery } from './filters.ts';

export type Sort = { readonly field: (typeof fileSortFields)[number]; readonly direction: 'asc' | 'desc' };
type FilesQuery = {
  readonly folder: string;
  readonly keyword: string;
  readonly sort: Sort;
  readonly filters: Filters;
};

export function useFiles({ folder, keyword, sort, filters }: FilesQuery): FilePages {
  const { call } = useBridge();
  const { field, direction } = sort;
  const filtersJson = JSON.stringify(filters);
  const pages = useMemo(
    () =>
      openFilePages((page, size, signal) => {
        const query = { page, size, sort: `${field},${direction}` };
        const search = { ...toQuery(JSON.parse(filtersJson)), ...(keyword !== '' && { keyword }) };
        if (Object.keys(search).length === 0) return call(listFiles, { query: { ...query, folder }, signal });
        const below = folder !== '' && { path: folder };
        return call(searchFiles, { query: { ...query, ...search, ...below }, signal });
      }),
    [call, folder, keyword, field, direction, filtersJson],
  );
  useEffect(() => {
    pages.want(0, 30);
    return () => pages.close();
  }, [pages]);
  useEvents(['file-recorded', 'proof-issued'], () => pages.refresh());
  return pages;
}
