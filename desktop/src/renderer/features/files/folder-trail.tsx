// Path of the current folder, and its subfolders.
import { listFolders } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { useBridge, useLanguage, useSay } from '../../context.ts';
import { formatNumber } from '../../format.ts';
import { toHref } from '../../router.ts';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { listBelow } from './folders.ts';

type Trail = { readonly folder: string; readonly total: number };

export function FolderTrail({ folder, total }: Trail) {
  const { list } = useSay();
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad('folders', signal => call(listFolders, { signal }));
  useEvents(['file-recorded'], reload);
  const parts = folder === '' ? [] : folder.split('/');
  const below = state.kind === 'ready' ? listBelow(state.value.folders, folder) : [];
  return (
    <>
      <nav className="trail" aria-label={list.foldersHere}>
        <a href={toHref('files')}>{list.all}</a>
        {parts.map((part, at) => {
          const path = parts.slice(0, at + 1).join('/');
          return (
            <span key={path}>
              <span aria-hidden="true">/ </span>
              <a href={toHref('files', { folder: path })}>{toShownName(part)}</a>
            </span>
          );
        })}
        {total >= 0 && (
          <span className="sum number">{list.files(total).replace(/\d+/, formatNumber(total, language))}</span>
        )}
      </nav>
      {below.length > 0 && (
        <ul className="folders" aria-label={list.foldersHere}>
          {below.map(({ name, path, files }) => (
            <li key={path}>
              <a href={toHref('files', { folder: path })} aria-label={list.folderCount(name, files)}>
                <Icon name="files" />
                <span className="cut">{toShownName(name)}</span>
                <span className="quiet number">{formatNumber(files, language)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
