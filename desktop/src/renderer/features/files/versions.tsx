// Versions of a file: author, time and size of each; each can be downloaded, compared with the newest, and restored.
// Where the newest version is open, a newer one replaces it.
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { type File, listVersions } from '@recordproof/shared/api/files.ts';
import { restoreVersion } from '@recordproof/shared/api/uploads.ts';
import { viewOf } from '@recordproof/shared/preview-kinds.ts';
import { useEffect, useState } from 'react';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatSize, formatTime } from '../../format.ts';
import { changeQuery } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog, Dialog } from '../../ui/dialog.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { ProofChip } from '../proofs/proof-chip.tsx';
import { PreviewOf } from './preview.tsx';

type Version = AnswerOf<typeof listVersions>[number];

export function Versions({ file, onChanged }: { readonly file: File; readonly onChanged: () => void }) {
  const texts = useTexts();
  const { call } = useBridge();
  const { state, reload } = useLoad(file.versionGroupId, signal =>
    call(listVersions, { params: { id: file.id }, signal }),
  );
  useEvents(['file-recorded'], reload);
  const newest = state.kind === 'ready' ? state.value.find(({ isLatest }) => isLatest) : undefined;
  const newer = newest && newest.id !== file.id ? newest.fileHash : undefined;
  useEffect(() => {
    if (newer !== undefined && file.isLatest) show(newer);
  }, [newer, file.isLatest]);
  return (
    <section>
      <h3>{texts.file.versions}</h3>
      {state.kind === 'loading' && <p className="quiet small">{texts.loading}</p>}
      {state.kind === 'failed' && <Problem error={state.error} />}
      {newer !== undefined && !file.isLatest && (
        <p className="actions">
          {texts.file.notNewest}
          <Button label={texts.file.showNewest} variant="plain" onClick={() => show(newer)} />
        </p>
      )}
      {state.kind === 'ready' && (
        <ol className="versions">
          {state.value.map(version => (
            <li key={version.id}>
              <VersionLine version={version} newest={newest} onChanged={onChanged} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const show = (fileHash: string) => changeQuery({ file: fileHash });

type Line = { readonly version: Version; readonly newest: Version | undefined; readonly onChanged: () => void };

function VersionLine({ version, newest, onChanged }: Line) {
  const { file: texts } = useTexts();
  const language = useLanguage();
  return (
    <>
      <span>
        {texts.versionIs(version.version)} {version.isLatest && <span className="chip good">{texts.newest}</span>}
      </span>
      <ProofChip status={version.proofStatus} />
      <span className="facts-line quiet number">
        {formatTime(version.createdAt, language)} · {formatSize(version.fileSize)} · {version.ownerName}
      </span>
      <VersionActions version={version} newest={newest} onChanged={onChanged} />
    </>
  );
}

function VersionActions({ version, newest, onChanged }: Line) {
  const { file: texts } = useTexts();
  const { call, downloads } = useBridge();
  const [asking, setAsking] = useState<'compare' | 'restore' | null>(null);
  const { id, fileHash, fileName, fileSize: size, version: number } = version;
  const restore = async () => {
    await call(restoreVersion, { params: { id } });
    onChanged();
  };
  const button = (label: string, act: () => void) => (
    <Button label={label} of={texts.versionIs(number)} variant="bare" onClick={act} />
  );
  return (
    <span className="actions">
      {button(texts.download, () => void downloads.start({ kind: 'file', fileHash, fileName, size }))}
      {newest && !version.isLatest && (
        <>
          {canCompare(version, newest) && button(texts.compare, () => setAsking('compare'))}
          {button(texts.restore, () => setAsking('restore'))}
        </>
      )}
      {asking === 'compare' && newest && <Compare versions={[version, newest]} onClose={() => setAsking(null)} />}
      {asking === 'restore' && (
        <AskDialog
          title={texts.restoreAsk(number)}
          text={texts.restoreText}
          yes={texts.restore}
          act={restore}
          onClose={() => setAsking(null)}
        />
      )}
    </span>
  );
}

const kindOf = (version: Version) => viewOf(version).kind;

const canCompare = (...versions: readonly Version[]): boolean =>
  versions.every(version => ['image', 'text'].includes(kindOf(version) ?? ''));

function Compare({ versions, onClose }: { readonly versions: readonly Version[]; readonly onClose: () => void }) {
  const { file: texts } = useTexts();
  return (
    <Dialog title={texts.compare} onClose={onClose} isWide>
      <div className="side-by-side">
        {versions.map(version => (
          <section key={version.id} aria-label={texts.versionIs(version.version)}>
            <h3>{texts.versionIs(version.version)}</h3>
            <PreviewOf file={version} kind={kindOf(version) ?? 'text'} />
          </section>
        ))}
      </div>
    </Dialog>
  );
}
