// Path of the current folder, and its subfolders. Both are drop targets.
import { type Folder, listFolders } from '@recordproof/shared/api/folders.ts';
import { lastPart, withParents } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { type ReactNode, useState } from 'react';
import type { Bridge } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatNumber } from '../../format.ts';
import { toHref } from '../../router.ts';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { FolderActions } from './folder-actions.tsx';
import { useFolderTexts } from './use-folder-texts.ts';
import { isDragged, type Moved, mayMoveTo, readDrag, startDrag } from './use-move.ts';

type Trail = {
  readonly folder: string;
  readonly total: number;
  /** Counts changes: the folders are loaded again after each. */
  readonly age: number;
  readonly onChanged: () => void;
  readonly onDelete: (path: string) => Promise<void>;
  readonly onDrop: (moved: Moved, into: string) => void;
};

export function FolderTrail({ folder, total, age, onChanged, onDelete, onDrop }: Trail) {
  const { list } = useTexts();
  const texts = useFolderTexts();
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
      <Subfolders key={folder} folder={folder} age={age} onDrop={onDrop} />
    </>
  );
}

type Below = Pick<Trail, 'folder' | 'age' | 'onDrop'>;

const pageSize = 200;

function Subfolders({ folder, age, onDrop }: Below) {
  const { list, more } = useTexts();
  const language = useLanguage();
  const { call } = useBridge();
  const [pages, setPages] = useState(1);
  const { state, reload } = useLoad(`${age} ${pages}`, signal => fetchFolders(call, { folder, pages, signal }), {
    keeps: true,
  });
  useEvents(['file-recorded'], reload);
  if (state.kind !== 'ready' || state.value.folders.length === 0) return null;
  return (
    <ul className="folders" aria-label={list.foldersHere}>
      {state.value.folders.map(({ path, files }) => (
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
      {state.value.more && (
        <li>
          <button type="button" className="plain" onClick={() => setPages(pages + 1)}>
            {more}
          </button>
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
