// Proof of one file: its state, whether it is in force, and its download.
import type { File } from '@recordproof/shared/api/files.ts';
import { getProofStatus } from '@recordproof/shared/api/proofs.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { toHref } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { ProofChip } from './proof-chip.tsx';
import { SaveProofsDialog } from './save-proofs-dialog.tsx';

export function ProofSection({ file }: { readonly file: File }) {
  const texts = useTexts().file;
  const { call } = useBridge();
  const { state, reload } = useLoad(file.id, signal => call(getProofStatus, { params: { id: file.id }, signal }));
  useEvents(['proof-issued'], reload);
  const status = state.kind === 'ready' ? 'ISSUED' : file.proofStatus;
  return (
    <section>
      <h3>{texts.proofTitle}</h3>
      <ProofChip status={status} />
      {status === 'ISSUED' && state.kind === 'ready' ? (
        <IssuedProof file={file} proof={state.value} />
      ) : (
        <p className="quiet small">
          {status === 'PENDING' ? texts.proofPending : status === 'NONE' ? texts.proofNone : ''}
        </p>
      )}
      {status === 'ISSUED' && state.kind === 'failed' && <Problem error={state.error} />}
    </section>
  );
}

type Proof = { readonly status: keyof typeof tones; readonly issuedAt: string };

const tones = { ACTIVE: 'good', SUPERSEDED: 'open', REVOKED: 'bad', INVALID: 'bad' } as const;

function IssuedProof({ file, proof }: { readonly file: File; readonly proof: Proof }) {
  const texts = useTexts().file;
  const language = useLanguage();
  const [isSaving, setSaving] = useState(false);
  return (
    <>
      <p className="small quiet">{texts.proofReady}</p>
      <dl className="facts">
        <dt>{texts.issued}</dt>
        <dd>{formatTime(proof.issuedAt, language)}</dd>
        <dt>{texts.proofTitle}</dt>
        <dd className={`chip ${tones[proof.status]}`}>{texts.proofState[proof.status]}</dd>
      </dl>
      <div className="actions">
        <Button icon="download" label={texts.saveProof} variant="plain" onClick={() => setSaving(true)} />
        <a className="button plain" href={toHref('verify', { file: file.fileHash })}>
          {texts.checkProof}
        </a>
      </div>
      {isSaving && <SaveProofsDialog files={[{ ...file, proofStatus: 'ISSUED' }]} onClose={() => setSaving(false)} />}
    </>
  );
}
