// Files screen: folder, list, selection, and the panel of one file.
import { type File, getFile } from '@recordproof/shared/api/files.ts';
import { useEffect, useReducer, useRef, useState } from 'react';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { useBridge, useSay, useWatched } from '../../context.ts';
import { go, usePlace } from '../../router.ts';
import { useDebounced } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, FailedState, Loading } from '../../ui/states.tsx';
import { FileButton } from '../transfers/file-button.tsx';
import { FileGrid } from './file-grid.tsx';
import { FilePanel } from './file-panel.tsx';
import { FolderTrail } from './folder-trail.tsx';
import { changeSelection, noSelection } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { type Sort, useFiles } from './use-files.ts';

export function FilesScreen() {
  const folder = usePlace().query.get('folder') ?? '';
  const [typed, setTyped] = useState('');
  const keyword = useDebounced(typed.trim());
  const [sort, setSort] = useState<Sort>({ field: 'createdAt', direction: 'desc' });
  const [selection, choose] = useReducer(changeSelection, noSelection);
  const [opened, setOpened] = useState<File | null>(null);
  useNamedFile(setOpened);
  const pages = useFiles({ folder, keyword, sort });
  const { total, error } = useWatched(pages.known);
  const again = () => pages.refresh();
  return (
    <div className={opened ? 'work with-panel' : 'work'}>
      <div className="listing">
        <FilesHead folder={folder} typed={typed} onType={setTyped} />
        <FolderTrail folder={folder} total={total} />
        {selection.size > 0 && (
          <SelectionBar selection={selection} onClear={() => choose({ kind: 'clear' })} onChanged={again} />
        )}
        {total < 0 && error === null && <Loading />}
        {total < 0 && error !== null && <FailedState error={error} again={again} />}
        {total === 0 && <NoFiles keyword={keyword} />}
        {total > 0 && (
          <FileGrid
            key={`${folder} ${keyword} ${sort.field} ${sort.direction}`}
            pages={pages}
            sort={sort}
            onSort={setSort}
            selection={selection}
            onSelect={choose}
            onOpen={setOpened}
          />
        )}
      </div>
      {opened && <FilePanel key={opened.id} file={opened} onClose={() => setOpened(null)} onChanged={again} />}
    </div>
  );
}

type Head = { readonly folder: string; readonly typed: string; readonly onType: (text: string) => void };

function FilesHead({ folder, typed, onType }: Head) {
  const say = useSay();
  const { uploads } = useBridge();
  const send = async (chosen: readonly ChosenFile[]) => {
    if (chosen.length === 0) return;
    await uploads.add(chosen);
    go('transfers');
  };
  return (
    <header className="head">
      <h1>{say.files}</h1>
      <search className="search">
        <Icon name="search" />
        <input
          type="search"
          value={typed}
          onChange={event => onType(event.target.value)}
          aria-label={say.list.search}
          placeholder={say.list.searchHint}
          maxLength={255}
        />
      </search>
      <div className="actions">
        <FileButton onChosen={send} into={folder} variant="plain" folder label={say.list.uploadFolder}>
          {say.list.uploadFolder}
        </FileButton>
        <FileButton onChosen={send} into={folder} many label={say.list.upload}>
          <Icon name="upload" /> {say.list.upload}
        </FileButton>
      </div>
    </header>
  );
}

function NoFiles({ keyword }: { readonly keyword: string }) {
  const { list } = useSay();
  return keyword === '' ? (
    <EmptyState icon="files" title={list.empty} text={list.emptyText} />
  ) : (
    <EmptyState icon="search" title={list.nothing} text={list.nothingText(keyword)} />
  );
}

/** Opens the file that the address names, unless it was deleted. */
function useNamedFile(open: (file: File) => void): void {
  const { call } = useBridge();
  const hash = usePlace().query.get('file');
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (hash === null) return;
    const stop = new AbortController();
    call(getFile, { params: { hash }, signal: stop.signal }).then(
      file => !stop.signal.aborted && latest.current(file),
      () => undefined,
    );
    return () => stop.abort();
  }, [hash, call]);
}
