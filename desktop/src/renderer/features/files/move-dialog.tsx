// Dialog that moves files or a folder: the destination is chosen level by level.
import { listFolders } from '@recordproof/shared/api/folders.ts';
import { lastPart, parentOf } from '@recordproof/shared/file-path.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { isNameTaken, type Moved, mayMoveTo, moveTo, type OnConflict } from './use-move.ts';

type Moving = {
  readonly moved: Moved;
  readonly onMoved: () => void;
  readonly onClose: () => void;
  /** Chosen already, where names are taken there. */
  readonly into?: string;
};

export function MoveDialog({ moved, onMoved, onClose, into }: Moving) {
  const texts = useWords(folderWords);
  const { call } = useBridge();
  const [at, setAt] = useState(into ?? (moved.kind === 'files' ? (moved.from ?? '') : parentOf(moved.path)));
  const { run, isBusy, error } = useAction(async (onConflict: OnConflict) => {
    await moveTo(call, moved, at, onConflict);
    onMoved();
    onClose();
  });
  const title = moved.kind === 'files' ? texts.moveFiles(moved.hashes.length) : texts.moveFolder(lastPart(moved.path));
  if (into !== undefined || isNameTaken(error))
    return (
      <Dialog title={title} onClose={onClose}>
        <div className="form">
          <p>{texts.taken(at === '' ? texts.top : lastPart(at))}</p>
          {!isNameTaken(error) && <Problem error={error} />}
          <div className="actions">
            <Button label={texts.keepBoth} disabled={isBusy} onClick={() => run('keepBoth')} />
            <Button label={texts.skipTaken} variant="plain" disabled={isBusy} onClick={() => run('skip')} />
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        <Levels at={at} moved={moved} onGo={setAt} />
        <Problem error={error} />
        <Button
          label={texts.moveHere(at === '' ? texts.top : lastPart(at))}
          disabled={isBusy || !mayMoveTo(moved, at)}
          onClick={() => run('fail')}
        />
      </div>
    </Dialog>
  );
}

type Choosing = { readonly at: string; readonly moved: Moved; readonly onGo: (path: string) => void };

function Levels({ at, moved, onGo }: Choosing) {
  const { loading } = useTexts();
  const texts = useWords(folderWords);
  const { call } = useBridge();
  const { state } = useLoad(at, signal => call(listFolders, { query: { path: at, limit: 500 }, signal }));
  const isItself = (path: string) => moved.kind === 'folder' && path === moved.path;
  return (
    <section className="levels" aria-label={texts.destination}>
      <p>
        <strong>{at === '' ? texts.top : toShownName(at)}</strong>
      </p>
      <ul>
        {at !== '' && (
          <li>
            <Button icon="back" label={texts.up} variant="bare" onClick={() => onGo(parentOf(at))} />
          </li>
        )}
        {state.kind === 'loading' && <li className="quiet small">{loading}</li>}
        {state.kind === 'ready' &&
          state.value.folders
            .filter(({ path }) => !isItself(path))
            .map(({ path }) => (
              <li key={path}>
                <Button icon="files" label={toShownName(lastPart(path))} variant="bare" onClick={() => onGo(path)} />
              </li>
            ))}
        {state.kind === 'ready' && state.value.folders.length === 0 && (
          <li className="quiet small">{texts.noFolders}</li>
        )}
      </ul>
      {state.kind === 'failed' && <Problem error={state.error} />}
    </section>
  );
}
