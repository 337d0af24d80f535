// Check of one stored file: file and proof come from the server, and this device compares them.
import { type File as FileRecord, getFile } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { lazy, Suspense, useState } from 'react';
import type { Verified } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { toHref } from '../../router.ts';
import { useLoad } from '../../ui/hooks.ts';
import { FailedState, Loading, Problem } from '../../ui/states.tsx';
import type { Checked } from './certificate.tsx';

const Report = lazy(async () => ({ default: (await import('./report.tsx')).Report }));

/** It is read into memory. */
const mostBytes = 64 * 1024 * 1024;

export function StoredCheck({ hash }: { readonly hash: string }) {
  const texts = useTexts();
  const { call } = useBridge();
  const { state, reload } = useLoad(hash, signal => call(getFile, { params: { hash }, signal }));
  return (
    <>
      {state.kind === 'loading' && <Loading />}
      {state.kind === 'failed' && <FailedState error={state.error} again={reload} />}
      {state.kind === 'ready' && state.value.fileSize > mostBytes && (
        <p className="note">{texts.check.tooLargeHere(formatSize(mostBytes))}</p>
      )}
      {state.kind === 'ready' && state.value.fileSize <= mostBytes && <Check file={state.value} />}
      <p className="actions unprinted">
        <a className="button plain" href={toHref('files', { file: hash })}>
          {texts.check.toFile}
        </a>
        <a className="button plain" href={toHref('verify')}>
          {texts.check.others}
        </a>
      </p>
    </>
  );
}

type Result = Verified & { readonly checked: Checked };

function Check({ file }: { readonly file: FileRecord }) {
  const { check: texts } = useTexts();
  const language = useLanguage();
  const { downloads, verify, session } = useBridge();
  const [part, setPart] = useState<number | null>(null);
  const { id, fileHash, fileName } = file;
  const { state, reload } = useLoad(`${fileHash} ${language}`, async (signal): Promise<Result> => {
    const [bytes, archive] = await Promise.all([
      downloads.read({ source: { kind: 'file', fileHash }, maxBytes: mostBytes }, signal),
      downloads.readProof(id, signal),
    ]);
    const original = new File([bytes], fileName);
    const proof = new File([archive], `${fileName}.proof.zip`);
    const onProgress = (read: number, size: number) => setPart(read / Math.max(1, size));
    const verified = await verify({ original, proof, language, asksServer: true, onProgress, signal });
    return { ...verified, checked: { original, proof, askedServer: session.serverUrl() } };
  });
  if (state.kind === 'failed')
    return (
      <>
        <Problem error={state.error} />
        <div className="actions">
          <button type="button" className="plain" onClick={reload}>
            {texts.again}
          </button>
        </div>
      </>
    );
  if (state.kind === 'loading')
    return (
      <div className="card form" role="status">
        <p>{texts.checking(toShownName(fileName))}</p>
        <progress aria-label={texts.reading} {...(part !== null && { max: 1, value: part })} />
      </div>
    );
  return (
    <Suspense fallback={<Loading />}>
      <Report {...state.value} />
    </Suspense>
  );
}
