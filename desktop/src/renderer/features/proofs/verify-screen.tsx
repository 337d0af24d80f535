// Verification of a file against its proof, with the engine on this device. The user chooses whether the server is
// asked; the trusted parties are named before and after.
import { type File as FileRecord, getFile } from '@recordproof/shared/api/files.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { useEffect, useRef, useState } from 'react';
import type { Verified } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { toHref, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Checkbox, Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { ScreenHead } from '../../ui/panes.tsx';
import { Loading, NotLoaded, Problem } from '../../ui/states.tsx';
import type { Checked } from './certificate.tsx';

const Report = lazyPart(async () => (await import('./report.tsx')).Report, <Loading />);

type VerifyInput = {
  readonly original?: File | undefined;
  readonly proof?: File | undefined;
  readonly trustedKey?: File | undefined;
  readonly evidence?: readonly File[];
};

type Judged = Verified & { readonly checked: Checked };

export function VerifyScreen() {
  const texts = useTexts();
  const hash = useRoute().query.get('file');
  return (
    <>
      <ScreenHead />
      <div className="scroll">
        <div className="stack">
          <p className="quiet">{hash === null ? texts.check.lead : texts.check.storedLead}</p>
          {hash === null ? <ChosenCheck /> : <StoredCheck key={hash} hash={hash} />}
        </div>
      </div>
    </>
  );
}

function ChosenCheck() {
  const [judged, setJudged] = useState<Judged | null>(null);
  return (
    <>
      <VerifyForm onJudged={setJudged} />
      {judged && <Report {...judged} />}
    </>
  );
}

function VerifyForm({ onJudged }: { readonly onJudged: (judged: Judged | null) => void }) {
  const texts = useTexts().check;
  const language = useLanguage();
  const { verify, session } = useBridge();
  const [input, setInput] = useState<VerifyInput>({});
  const [asksServer, setAsksServer] = useState(true);
  const serverUrl = session.serverUrl();
  const [part, setPart] = useState<number | null>(null);
  const checking = useRef<AbortController>(undefined);
  const action = useAction(async () => {
    const { original, proof, trustedKey, evidence = [] } = input;
    if (!original || !proof) return;
    onJudged(null);
    setPart(0);
    const stop = new AbortController();
    checking.current = stop;
    const onProgress = (read: number, size: number) => setPart(read / Math.max(1, size));
    try {
      const request = { original, proof, evidence, language, asksServer, onProgress, signal: stop.signal };
      const { report, existence } = await verify({ ...request, ...(trustedKey && { trustedKey }) });
      if (stop.signal.aborted) return;
      onJudged({
        report,
        ...(existence && { existence }),
        checked: { original, proof, askedServer: asksServer ? serverUrl : null },
      });
    } catch (failure) {
      if (!stop.signal.aborted) throw failure;
    } finally {
      setPart(null);
    }
  });
  useEffect(() => () => checking.current?.abort(), []);
  /** A verdict applies to the input that was checked: a change clears it, and stops a check of the earlier input. */
  const clearVerdict = () => {
    checking.current?.abort();
    action.clearError();
    onJudged(null);
  };
  const change = (part: VerifyInput) => {
    clearVerdict();
    setInput(before => ({ ...before, ...part }));
  };
  const slot = (
    name: 'original' | 'proof' | 'trustedKey',
    label: string,
    more: { accept?: string; hint?: string; required?: boolean },
  ) => <Field label={label} type="file" {...more} onFile={file => change({ [name]: file })} />;
  return (
    <ActionForm className="form card" action={action} submit={texts.submit} inRow>
      {slot('original', texts.original, { required: true })}
      {slot('proof', texts.proof, { required: true, accept: '.zip,application/zip' })}
      <Checkbox
        label={texts.askServer(serverUrl)}
        hint={asksServer ? texts.askedTrust : texts.unasked}
        checked={asksServer}
        onCheck={asks => {
          clearVerdict();
          setAsksServer(asks);
        }}
      />
      {slot('trustedKey', texts.key, {
        accept: '.json,application/json',
        hint: asksServer ? texts.keyHintAsking : texts.keyHint,
      })}
      <Field
        label={texts.evidence}
        type="file"
        multiple
        hint={texts.evidenceHint}
        onFiles={evidence => change({ evidence })}
      />
      {part !== null && <progress aria-label={texts.reading} max={1} value={part} />}
    </ActionForm>
  );
}

/** It is read into memory. */
const mostBytes = 64 * 1024 * 1024;

function StoredCheck({ hash }: { readonly hash: string }) {
  const texts = useTexts();
  const { call } = useBridge();
  const { state, reload } = useLoad(hash, signal => call(getFile, { params: { hash }, signal }));
  return (
    <>
      <NotLoaded state={state} again={reload} />
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

function Check({ file }: { readonly file: FileRecord }) {
  const { check: texts } = useTexts();
  const language = useLanguage();
  const { downloads, verify, session } = useBridge();
  const [part, setPart] = useState<number | null>(null);
  const { id, fileHash, fileName } = file;
  const { state, reload } = useLoad(`${fileHash} ${language}`, async (signal): Promise<Judged> => {
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
          <Button label={texts.again} variant="plain" onClick={reload} />
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
  return <Report {...state.value} />;
}
