// Verification of a file against its proof, with the engine on this device. The user chooses whether the server is
// asked; the trusted parties are named before and after.
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import type { Verified } from '../../../bridge/bridge.ts';
import { useBridge, useLanguage, useTexts, useTitle } from '../../context.ts';
import { useRoute } from '../../router.ts';
import { Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Loading, Problem } from '../../ui/states.tsx';
import type { Checked } from './certificate.tsx';
import { StoredCheck } from './stored-check.tsx';

const Report = lazy(async () => ({ default: (await import('./report.tsx')).Report }));

type VerifyInput = {
  readonly original?: File | undefined;
  readonly proof?: File | undefined;
  readonly trustedKey?: File | undefined;
  readonly evidence?: readonly File[];
};

type Judged = Verified & { readonly checked: Checked };

export function VerifyScreen() {
  const texts = useTexts();
  const title = useTitle();
  const hash = useRoute().query.get('file');
  return (
    <>
      <header className="head">
        <h1>{title}</h1>
      </header>
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
      {judged && (
        <Suspense fallback={<Loading />}>
          <Report {...judged} />
        </Suspense>
      )}
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
  const id = useId();
  const checking = useRef<AbortController>(undefined);
  const { run, isBusy, error, clearError } = useAction(async () => {
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
    clearError();
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
    <Form className="form card" onSend={run}>
      {slot('original', texts.original, { required: true })}
      {slot('proof', texts.proof, { required: true, accept: '.zip,application/zip' })}
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={asksServer}
            onChange={event => {
              clearVerdict();
              setAsksServer(event.target.checked);
            }}
            aria-describedby={`${id}-trust`}
          />
          {texts.askServer(serverUrl)}
        </label>
        <small id={`${id}-trust`}>{asksServer ? texts.askedTrust : texts.unasked}</small>
      </div>
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
      <Problem error={error} />
      <div className="actions">
        <button type="submit" disabled={isBusy}>
          {texts.submit}
        </button>
      </div>
    </Form>
  );
}
