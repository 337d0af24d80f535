// Files of another person's share; each download is verified.
import { toFilePath } from '@recordproof/shared/api/files.ts';
import type { SharedFile } from '@recordproof/shared/api/share-access.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { isFile } from '../../../bridge/download-request.ts';
import { useBridge, useTexts, useWatched } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { useAction } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Problem } from '../../ui/states.tsx';
import { TransferWords } from '../transfers/transfer-items.tsx';

export type SharedEntry = Pick<SharedFile, 'fileHash' | 'fileName' | 'path' | 'fileSize'>;
type SharedFilesProps = {
  readonly files: readonly SharedEntry[];
  readonly fetch: (file: SharedEntry) => Promise<void>;
};

export const SharedFiles = ({ files, fetch }: SharedFilesProps) => (
  <ul className="lines">
    {files.map(file => (
      <li key={file.fileHash}>
        <SharedFileLine file={file} fetch={fetch} />
      </li>
    ))}
  </ul>
);

function SharedFileLine({ file, fetch }: Pick<SharedFilesProps, 'fetch'> & { readonly file: SharedEntry }) {
  const say = useTexts();
  const { run, isBusy, error } = useAction(() => fetch(file));
  return (
    <>
      <bdi className="cut">{toShownName(toFilePath(file))}</bdi>
      <span className="quiet small number">{formatSize(file.fileSize)}</span>
      <Arrival fileHash={file.fileHash} />
      <button
        type="button"
        className="plain"
        disabled={isBusy}
        aria-label={`${say.file.download}: ${file.fileName}`}
        onClick={() => run()}
      >
        <Icon name="download" />
        <span className="wide-only">{say.file.download}</span>
      </button>
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
