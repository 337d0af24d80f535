// Files of a folder and those below it, or of a search; new ones appear with their events.
import { type fileSortFields, listFiles, searchFiles } from '@recordproof/shared/api/files.ts';
import { useEffect, useMemo } from 'react';
import { useBridge } from '../../context.ts';
import { useEvents } from '../../ui/hooks.ts';
import { type FilePages, openFilePages } from './file-pages.ts';

export type Sort = { readonly field: (typeof fileSortFields)[number]; readonly direction: 'asc' | 'desc' };
type Asked = { readonly folder: string; readonly keyword: string; readonly sort: Sort };

export function useFiles({ folder, keyword, sort }: Asked): FilePages {
  const { call } = useBridge();
  const { field, direction } = sort;
  const pages = useMemo(
    () =>
      openFilePages((page, size, signal) => {
        const query = { page, size, sort: `${field},${direction}`, ...(folder !== '' && { path: folder }) };
        return keyword === ''
          ? call(listFiles, { query, signal })
          : call(searchFiles, { query: { ...query, keyword }, signal });
      }),
    [call, folder, keyword, field, direction],
  );
  useEffect(() => {
    pages.want(0, 30);
    return () => pages.close();
  }, [pages]);
  useEvents(['file-recorded', 'proof-issued'], () => pages.refresh());
  return pages;
}
