// Files screen: folder, list, selection, and the panel of one file.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type File, getFile } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import { useBridge, useTexts, useWatched, useWords } from '../../context.ts';
import { changeQuery, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/form.tsx';
import { useAction, useDebounced } from '../../ui/hooks.ts';
import { lazyPart, lazyScreen } from '../../ui/lazy.tsx';
import { ScreenHead } from '../../ui/panes.tsx';
import { EmptyState, FailedState, Loading, MissingState, Problem } from '../../ui/states.tsx';
import { FileButton } from '../transfers/file-button.tsx';
import { useSending } from '../transfers/use-sending.tsx';
import { useDoubleClickGuard } from './double-clicks.ts';
import { FileGrid, type FileGridProps } from './file-grid.tsx';
import { type Filters, hasFilters, readFilters } from './filters.ts';
import { FolderTrail, useSubfolders } from './folder-trail.tsx';
import { LazyFilterRow, LazyMoveDialog } from './lazy-dialogs.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type Sort, useFiles } from './use-files.ts';
import { isNameTaken, type Moved, moveTo } from './use-move.ts';
import { changeSelection, noSelection, useSelecting } from './use-selecting.ts';
import { UndoBar, useTrash } from './use-trash.tsx';
import { useViewer } from './use-viewer.ts';

const FilePanel = lazyPart(async () => (await import('./file-panel.tsx')).FilePanel, <Loading />);
const MissingFilePanel = lazyPart(async () => (await import('./file-panel.tsx')).MissingFilePanel, <Loading />);
const TrashScreen = lazyScreen(async () => (await import('./trash-screen.tsx')).TrashScreen);

export function FilesScreen() {
  const { missing } = useTexts();
  const { rest } = useRoute();
  if (rest === 'trash') return <TrashScreen />;
  if (rest !== '') return <MissingState title={missing.file} text={missing.fileText} />;
  return <Files />;
}

function Files() {
  const { query } = useRoute();
  const folder = query.get('folder') ?? '';
  const keyword = query.get('search') ?? '';
  const filters = readFilters(query);
  const [sort, setSort] = useState<Sort>({ field: 'createdAt', direction: 'desc' });
  const { missing } = useTexts();
  const { opened, isMissing, open, close } = useOpenedFile();
  const [age, setAge] = useState(0);
  const subfolders = useSubfolders(folder, age);
  const guard = useDoubleClickGuard();
  const pages = useFiles({ folder, keyword, sort, filters });
  const { total, error } = useWatched(pages.known);
  const view = useViewer(pages);
  const again = () => {
    pages.refresh();
    setAge(now => now + 1);
  };
  const trashing = useTrash(again);
  const [dropped, drop] = useDropped(again);
  const moving = { folder, trashing, onChanged: again };
  const list = `${folder} ${keyword} ${JSON.stringify(filters)}`;
  return (
    <div className={opened || isMissing ? 'work with-panel' : 'work'} onClickCapture={guard}>
      <div className="listing">
        {subfolders.isMissing ? (
          <MissingState title={missing.folder} text={missing.folderText(toShownName(folder))} />
        ) : (
          <>
            <FilesHead key={folder} folder={folder} keyword={keyword} filters={filters} />
            <FolderTrail
              folder={folder}
              total={total}
              subfolders={subfolders}
              onChanged={again}
              onDelete={trashing.removeFolder}
              onDrop={drop}
            />
            {total < 0 && error === null && <Loading />}
            {total < 0 && error !== null && <FailedState error={error} again={again} />}
            {total === 0 && <NoFiles keyword={keyword} isFiltered={hasFilters(filters)} />}
            {total > 0 && (
              <FileList
                key={list}
                pages={pages}
                sort={sort}
                onSort={setSort}
                onOpen={open}
                onView={view}
                moving={moving}
              />
            )}
          </>
        )}
        <UndoBar trashing={trashing} />
      </div>
      {opened && (
        <FilePanel
          key={opened.versionGroupId}
          file={opened}
          onClose={close}
          moving={moving}
          onView={() => view(opened)}
        />
      )}
      {isMissing && <MissingFilePanel onClose={close} />}
      {dropped}
    </div>
  );
}

/** Moves dropped files to a folder; asks where names are taken there. */
function useDropped(onMoved: () => void) {
  const { call } = useBridge();
  const [pendingMove, setPendingMove] = useState<{ readonly moved: Moved; readonly into: string } | null>(null);
  const { run, error } = useAction(async (moved: Moved, into: string) => {
    try {
      await moveTo(call, moved, into, 'fail');
      onMoved();
    } catch (failure) {
      if (!isNameTaken(failure)) throw failure;
      setPendingMove({ moved, into });
    }
  });
  const dialog = (
    <>
      {error !== null && <Problem error={error} />}
      {pendingMove && <LazyMoveDialog {...pendingMove} onMoved={onMoved} onClose={() => setPendingMove(null)} />}
    </>
  );
  return [dialog, (moved: Moved, into: string) => void run(moved, into)] as const;
}

/** The selection ends with its list: files that are not shown are neither shared nor deleted. */
function FileList(list: Omit<FileGridProps, 'selection' | 'selecting'>) {
  const { pages, sort, moving } = list;
  const [selection, choose] = useReducer(changeSelection, noSelection);
  const selecting = useSelecting(pages, selection, choose);
  return (
    <>
      <SelectionBar selection={selection} selecting={selecting} moving={moving} />
      <FileGrid key={`${sort.field} ${sort.direction}`} {...list} selection={selection} selecting={selecting} />
    </>
  );
}

type Head = { readonly folder: string; readonly keyword: string; readonly filters: Filters };

function FilesHead({ folder, keyword, filters }: Head) {
  const texts = useTexts();
  const folders = useWords(folderWords);
  const { send, dialog } = useSending();
  const [typed, setTyped] = useSearchInAddress(keyword);
  const [isOpen, setOpen] = useState(hasFilters(filters));
  return (
    <ScreenHead>
      <SearchField
        label={texts.list.search}
        placeholder={texts.list.searchHint}
        value={typed}
        onText={setTyped}
        maxLength={255}
      />
      <Button label={folders.filters} variant="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
      <div className="actions">
        <FileButton onChosen={send} into={folder} variant="plain" folder label={texts.list.uploadFolder} />
        <FileButton onChosen={send} into={folder} many icon="upload" label={texts.list.upload} />
      </div>
      {isOpen && <LazyFilterRow filters={filters} />}
      {dialog}
    </ScreenHead>
  );
}

function NoFiles({ keyword, isFiltered }: { readonly keyword: string; readonly isFiltered: boolean }) {
  const { list } = useTexts();
  const { nothingFound } = useWords(folderWords);
  if (isFiltered) return <EmptyState icon="search" title={list.nothing} text={nothingFound} />;
  return keyword === '' ? (
    <EmptyState icon="files" title={list.empty} text={list.emptyText} />
  ) : (
    <EmptyState icon="search" title={list.nothing} text={list.nothingText(keyword)} />
  );
}

/** The typed text goes into the address once typing pauses; a change of the address goes into the field. */
function useSearchInAddress(keyword: string) {
  const [typed, setTyped] = useState(keyword);
  const debounced = useDebounced(typed.trim());
  const written = useRef(keyword);
  useEffect(() => {
    if (keyword === written.current) return;
    written.current = keyword;
    setTyped(keyword);
  }, [keyword]);
  useEffect(() => {
    if (debounced === written.current) return;
    written.current = debounced;
    changeQuery({ search: debounced, file: '' });
  }, [debounced]);
  return [typed, setTyped] as const;
}

/** The file that the address names. The former one stays until it is loaded. `isMissing`: the server has no such file. */
function useOpenedFile() {
  const { call } = useBridge();
  const hash = useRoute().query.get('file');
  const [loadedFile, setLoadedFile] = useState<File | null>(null);
  const [missingHash, setMissingHash] = useState<string | null>(null);
  const isMissing = hash !== null && hash === missingHash;
  const opened = hash === null || isMissing ? null : loadedFile;
  const isLoaded = loadedFile?.fileHash === hash;
  useEffect(() => {
    if (hash === null) setLoadedFile(null);
  }, [hash]);
  useEffect(() => {
    if (hash === null || isLoaded) return;
    const stop = new AbortController();
    call(getFile, { params: { hash }, signal: stop.signal }).then(
      file => !stop.signal.aborted && setLoadedFile(file),
      failure => {
        if (stop.signal.aborted) return;
        if (failure instanceof ApiError && [400, 404].includes(failure.status)) setMissingHash(hash);
        else changeQuery({ file: '' });
      },
    );
    return () => stop.abort();
  }, [hash, isLoaded, call]);
  const open = useCallback((file: File) => {
    setLoadedFile(file);
    changeQuery({ file: file.fileHash }, 'push');
  }, []);
  return { opened, isMissing, open, close: () => changeQuery({ file: '' }) };
}
