// Details of one file: record, preview, proof, versions, actions.
import { deleteFile, type File, listVersions } from '@recordproof/shared/api/files.ts';
import { useState } from 'react';
import type { ChosenFile } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useSay } from '../../context.ts';
import { formatNumber, formatSize, formatTime } from '../../format.ts';
import { go } from '../../router.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Panel } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';
import { ProofSection } from '../proofs/proof-section.tsx';
import { ShareDialog } from '../shares/share-dialog.tsx';
import { FileButton } from '../transfers/file-button.tsx';
import { Preview } from './preview.tsx';

type Shown = { readonly file: File; readonly onClose: () => void; readonly onChanged: () => void };

export function FilePanel({ file, onClose, onChanged }: Shown) {
  return (
    <Panel title={file.fileName} onClose={onClose}>
      <FileActions file={file} onClose={onClose} onChanged={onChanged} />
      <Preview file={file} />
      <section>
        <Facts file={file} />
      </section>
      <ProofSection file={file} />
      <Versions file={file} />
    </Panel>
  );
}

function FileActions({ file, onClose, onChanged }: Shown) {
  const say = useSay();
  const { call, downloads, uploads } = useBridge();
  const [asking, setAsking] = useState<'share' | 'delete' | null>(null);
  const { fileHash, fileName, fileSize: size } = file;
  const remove = async () => {
    await call(deleteFile, { params: { hash: fileHash } });
    onChanged();
    onClose();
  };
  const sendVersion = async (chosen: readonly ChosenFile[]) => {
    await uploads.add(chosen, { targetFileId: file.id });
    go('transfers');
  };
  return (
    <div className="actions">
      <button type="button" onClick={() => downloads.start({ kind: 'file', fileHash, fileName, size })}>
        <Icon name="download" /> {say.file.download}
      </button>
      <button type="button" className="plain" onClick={() => setAsking('share')}>
        <Icon name="link" /> {say.file.share}
      </button>
      <FileButton onChosen={sendVersion} into={file.path ?? ''} variant="plain" label={say.file.newVersion}>
        {say.file.newVersion}
      </FileButton>
      <button type="button" className="danger" onClick={() => setAsking('delete')}>
        {say.file.remove}
      </button>
      {asking === 'share' && <ShareDialog files={[file]} onClose={() => setAsking(null)} />}
      {asking === 'delete' && (
        <AskDialog
          title={say.file.removeAsk(1)}
          text={say.file.removeText}
          yes={say.file.remove}
          act={remove}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

function Facts({ file }: { readonly file: File }) {
  const say = useSay();
  const language = useLanguage();
  const exact = `${formatNumber(file.fileSize, language)} B`;
  const size = file.fileSize < 1024 ? exact : `${formatSize(file.fileSize)} (${exact})`;
  return (
    <dl className="facts">
      {file.path !== null && (
        <>
          <dt>{say.file.folder}</dt>
          <dd>{file.path}</dd>
        </>
      )}
      <dt>{say.list.size}</dt>
      <dd className="number">{size}</dd>
      <dt>{say.list.stored}</dt>
      <dd>{formatTime(file.createdAt, language)}</dd>
      <dt>{say.file.type}</dt>
      <dd>{file.contentType}</dd>
      <dt>{say.file.contentHash}</dt>
      <dd>
        <code>{file.contentHash.replace('sha256:', '')}</code>
      </dd>
      <dt>{say.file.fileHash}</dt>
      <dd>
        <code>{file.fileHash}</code>
      </dd>
    </dl>
  );
}

function Versions({ file }: { readonly file: File }) {
  const say = useSay();
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad(file.id, signal => call(listVersions, { params: { id: file.id }, signal }));
  useEvents(['file-recorded'], reload);
  return (
    <section>
      <h3>{say.file.versions}</h3>
      {state.kind === 'loading' && <p className="quiet small">{say.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {state.kind === 'ready' && (
        <ol className="versions">
          {state.value.map(({ id, version, isLatest, createdAt }) => (
            <li key={id}>
              <span>
                {say.file.versionIs(version)} {isLatest && <span className="chip good">{say.file.newest}</span>}
              </span>
              <span className="quiet number">{formatTime(createdAt, language)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
