// Files of another person's share: each can be viewed and downloaded, and is compared with its record.
import { toFilePath } from '@recordproof/shared/api/files.ts';
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { viewerWords } from '@recordproof/shared/words/viewer.ts';
import type { KeyboardEvent } from 'react';
import { isFile } from '../../../bridge/download-request.ts';
import { useBridge, useTexts, useWatched, useWords } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { type FoundFile, useOpenViewer } from '../../ui/open-viewer.ts';
import { Problem } from '../../ui/states.tsx';
import { TransferWords } from '../transfers/transfer-items.tsx';

export type SharedEntry = Pick<SharedFile, 'fileHash' | 'fileName' | 'path' | 'fileSize'>;
type SharedFilesProps = {
  readonly files: readonly SharedEntry[];
  readonly fetch: (file: SharedEntry) => Promise<void>;
  /** For the viewer; undefined where the file is not shared any more. */
  readonly find: (file: SharedEntry) => Promise<FoundFile | undefined>;
};

export function SharedFiles({ files, fetch, find }: SharedFilesProps) {
  const openViewer = useOpenViewer();
  const view = (start: number) =>
    openViewer({
      ...{ start, count: files.length },
      find: async at => files[at] && find(files[at]),
      download: async at => files[at] && fetch(files[at]),
    });
  return (
    <ul className="lines">
      {files.map((file, at) => (
        <li key={file.fileHash}>
          <SharedFileLine file={file} fetch={fetch} onView={() => view(at)} />
        </li>
      ))}
    </ul>
  );
}

type Line = Pick<SharedFilesProps, 'fetch'> & { readonly file: SharedEntry; readonly onView: () => void };

function SharedFileLine({ file, fetch, onView }: Line) {
  const texts = useTexts();
  const { view, viewOf } = useWords(viewerWords);
  const press = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (key.toLowerCase() === 'v' && !ctrlKey && !metaKey && !altKey) onView();
  };
  const { run, isBusy, error } = useAction(() => fetch(file));
  return (
    <>
      <bdi className="cut">{toShownName(toFilePath(file))}</bdi>
      <span className="quiet small number">{formatSize(file.fileSize)}</span>
      <Arrival fileHash={file.fileHash} />
      <span className="pair">
        <Button
          label={view}
          variant="plain"
          aria-label={viewOf(toShownName(file.fileName))}
          aria-keyshortcuts="V"
          onClick={onView}
          onKeyDown={press}
        />
        <button
          type="button"
          className="plain"
          disabled={isBusy}
          aria-label={`${texts.file.download}: ${file.fileName}`}
          onClick={() => run()}
          onKeyDown={press}
        >
          <Icon name="download" />
          <span className="wide-only">{texts.file.download}</span>
        </button>
      </span>
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** State of the newest download of a file. */
function Arrival({ fileHash }: Pick<SharedEntry, 'fileHash'>) {
  const { transfer } = useTexts();
  const { downloads } = useBridge();
  const newest = useWatched(downloads.list).findLast(({ wanted }) => isFile(wanted) && wanted.fileHash === fileHash);
  if (newest?.verified)
    return (
      <span className="chip good" title={transfer.verifiedHint}>
        <Icon name="seal" /> {transfer.verified}
      </span>
    );
  if (!newest) return null;
  return (
    <span className="about arrival">
      <TransferWords state={newest.state} progress={newest.progress} size={null} />
    </span>
  );
}
