// Path of the current folder, and its subfolders. Both are drop targets.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Folder, listFolders } from '@recordproof/shared/api/folders.ts';
import { lastPart, withParents } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { type ReactNode, useState } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatNumber } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { FolderActions } from './folder-actions.tsx';
import { isDragged, type Moved, mayMoveTo, readDrag, startDrag } from './use-move.ts';

type Trail = {
  readonly folder: string;
  readonly total: number;
  readonly subfolders: Subfolders;
  readonly onChanged: () => void;
  readonly onDelete: (path: string) => Promise<void>;
  readonly onDrop: (moved: Moved, into: string) => void;
};

export function FolderTrail({ folder, total, subfolders, onChanged, onDelete, onDrop }: Trail) {
  const { list } = useTexts();
  const texts = useWords(folderWords);
  const language = useLanguage();
  return (
    <>
      <nav className="trail" aria-label={list.foldersHere}>
        <DropTarget into="" onDrop={onDrop}>
          <a href={toHref('files')}>{list.all}</a>
        </DropTarget>
        {withParents(folder).map(path => (
          <DropTarget key={path} into={path} onDrop={onDrop}>
            <span aria-hidden="true">/ </span>
            <a href={toHref('files', { folder: path })}>{toShownName(lastPart(path))}</a>
          </DropTarget>
        ))}
        <FolderActions key={folder} folder={folder} onChanged={onChanged} onDelete={onDelete} />
        <span className="sum number">
          {total >= 0 && list.files(total).replace(/\d+/, formatNumber(total, language))}
        </span>
        <a href={toHref('files/trash')}>{texts.trash}</a>
      </nav>
      <SubfolderList {...subfolders} onDrop={onDrop} />
    </>
  );
}

type Subfolders = {
  readonly folders: readonly Folder[];
  readonly hasMore: boolean;
  readonly showMore: () => void;
  /** The server has no folder of this path. */
  readonly isMissing: boolean;
};

const pageSize = 200;

/** `age` counts changes: the folders are loaded again after each. */
export function useSubfolders(folder: string, age: number): Subfolders {
  const { call } = useBridge();
  const [shown, setShown] = useState({ folder, pages: 1 });
  const pages = shown.folder === folder ? shown.pages : 1;
  const load = async (signal: AbortSignal) => ({
    folder,
    ...(await fetchFolders(call, { folder, pages, signal })),
  });
  const { state, reload } = useLoad(`${age} ${pages} ${folder}`, load, { keeps: true });
  useEvents(['file-recorded'], reload);
  const loaded = state.kind === 'ready' && state.value.folder === folder ? state.value : null;
  const error = state.kind === 'loading' ? null : state.error;
  return {
    folders: loaded?.folders ?? [],
    hasMore: loaded?.more ?? false,
    showMore: () => setShown({ folder, pages: pages + 1 }),
    isMissing: error instanceof ApiError && error.kind === 'RESULT_DATA_NONE',
  };
}

function SubfolderList({ folders, hasMore, showMore, onDrop }: Subfolders & Pick<Trail, 'onDrop'>) {
  const { list, more } = useTexts();
  const language = useLanguage();
  if (folders.length === 0) return null;
  return (
    <ul className="folders" aria-label={list.foldersHere}>
      {folders.map(({ path, files }) => (
        <li key={path}>
          <DropTarget into={path} onDrop={onDrop}>
            <a
              href={toHref('files', { folder: path })}
              aria-label={list.folderCount(lastPart(path), files)}
              draggable
              onDragStart={event => startDrag(event, { kind: 'folder', path })}
            >
              <Icon name="files" />
              <span className="cut" title={toShownName(lastPart(path))}>
                {toShownName(lastPart(path))}
              </span>
              <span className="quiet number">{formatNumber(files, language)}</span>
            </a>
          </DropTarget>
        </li>
      ))}
      {hasMore && (
        <li>
          <Button label={more} variant="plain" onClick={showMore} />
        </li>
      )}
    </ul>
  );
}

type FolderQuery = { readonly folder: string; readonly pages: number; readonly signal: AbortSignal };

/** That many pages, each after the last name of the one before. */
async function fetchFolders(call: Bridge['call'], { folder, pages, signal }: FolderQuery) {
  const folders: Folder[] = [];
  let more = true;
  for (let page = 0; page < pages && more; page += 1) {
    const last = folders.at(-1);
    const after = last && { after: lastPart(last.path) };
    const next = await call(listFolders, { query: { path: folder, limit: pageSize, ...after }, signal });
    folders.push(...next.folders);
    more = next.more;
  }
  return { folders, more };
}

type Target = { readonly into: string; readonly onDrop: Trail['onDrop']; readonly children: ReactNode };

function DropTarget({ into, onDrop, children }: Target) {
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the dialog and the keys move without a pointer
    <span
      className={isOver ? 'target over' : 'target'}
      onDragOver={event => {
        if (!isDragged(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={event => {
        setOver(false);
        const moved = readDrag(event);
        if (!moved) return;
        event.preventDefault();
        if (mayMoveTo(moved, into)) onDrop(moved, into);
      }}
    >
      {children}
    </span>
  );
}
