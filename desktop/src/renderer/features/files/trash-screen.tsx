// Trash screen: deleted files with the end of their retention, restore and purge.
import { emptyTrash, listTrash, type TrashedFile } from '@recordproof/shared/api/trash.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { folderWords } from '@recordproof/shared/words/app-folders.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ActButton } from '../../ui/buttons.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { FileName } from '../../ui/file-name.tsx';
import { usePages } from '../../ui/hooks.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { ScreenHead } from '../../ui/panes.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { restore, restoreDeletion } from './use-trash.tsx';

export function TrashScreen() {
  const { list } = useTexts();
  const texts = useWords(folderWords);
  const { call } = useBridge();
  const [asking, setAsking] = useState<'all' | TrashedFile | null>(null);
  const pages = usePages('trash', (page, signal) => call(listTrash, { query: page, signal }));
  const isEmpty = pages.state.kind === 'ready' && pages.state.value.records.length === 0;
  const purge = async () => {
    const body = asking === null || asking === 'all' ? {} : { fileHash: [asking.fileHash] };
    while ((await call(emptyTrash, { body })).more);
    pages.reload();
  };
  const bringBack = async (work: Promise<void>) => {
    await work.finally(pages.reload);
  };
  return (
    <>
      <ScreenHead title={texts.trash}>
        <div className="actions">
          <a className="button plain" href={toHref('files')}>
            {list.all}
          </a>
          {!isEmpty && <Button label={texts.empty} variant="danger" onClick={() => setAsking('all')} />}
        </div>
      </ScreenHead>
      <PagedList
        of={pages}
        className="items area"
        by="id"
        empty={<EmptyState icon="remove" title={texts.nothing} text={texts.nothingText} />}
      >
        {(file, at, files) => (
          <TrashedLine
            file={file}
            onRestore={() => bringBack(restore(call, [file.fileHash]))}
            onRestoreAll={isFirstOfMany(files, at) ? () => bringBack(restoreDeletion(call, file.deletedAt)) : undefined}
            onPurge={() => setAsking(file)}
          />
        )}
      </PagedList>
      {asking && (
        <AskDialog
          title={asking === 'all' ? texts.emptyAsk : texts.purgeAsk(toShownName(asking.fileName))}
          text={texts.purgeText}
          yes={asking === 'all' ? texts.empty : texts.purge}
          act={purge}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

/** What was deleted together, as with its folder, is listed together. */
const isFirstOfMany = (files: readonly TrashedFile[], at: number): boolean =>
  files[at - 1]?.deletedAt !== files[at]?.deletedAt && files[at + 1]?.deletedAt === files[at]?.deletedAt;

type Line = {
  readonly file: TrashedFile;
  readonly onRestore: () => Promise<void>;
  readonly onRestoreAll: (() => Promise<void>) | undefined;
  readonly onPurge: () => void;
};

function TrashedLine({ file, onRestore, onRestoreAll, onPurge }: Line) {
  const texts = useWords(folderWords);
  const language = useLanguage();
  const { fileName, path, fileSize, deletedAt, expiresAt } = file;
  return (
    <>
      <div className="name">
        <FileName name={fileName} strong />
        {path !== null && <span className="cut">{toShownName(path)}</span>}
      </div>
      <div className="actions">
        {onRestoreAll && <ActButton label={texts.restoreAll} of={fileName} variant="plain" act={onRestoreAll} />}
        <ActButton label={texts.restore} of={fileName} variant="plain" act={onRestore} />
        <Button label={texts.purge} of={fileName} variant="bare" onClick={onPurge} />
      </div>
      <p className="about wide">
        <span className="number">{formatSize(fileSize)}</span>
        <span>{texts.deletedAt(formatTime(deletedAt, language))}</span>
        <span>{texts.purgedAt(formatTime(expiresAt, language))}</span>
      </p>
    </>
  );
}
