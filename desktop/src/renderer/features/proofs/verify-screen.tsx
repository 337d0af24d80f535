// A file against its proof, with the engine on this device. The issuer's key is given by the person, or taken from this
// server, which is said: then all rests on it.
import type { Client } from '@recordproof/shared/api/client.ts';
import { listIssuerKeys } from '@recordproof/shared/api/proofs.ts';
import type { VerificationReport } from '@recordproof/verifier/verify/report.ts';
import { lazy, Suspense, useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Checked } from './certificate.tsx';

const Report = lazy(async () => ({ default: (await import('./report.tsx')).Report }));

type Given = {
  readonly original?: File | undefined;
  readonly proof?: File | undefined;
  readonly trustedKey?: File | undefined;
};

type Judged = { readonly report: VerificationReport; readonly checked: Checked };

export function VerifyScreen() {
  const say = useSay();
  const [judged, setJudged] = useState<Judged | null>(null);
  return (
    <>
      <header className="head">
        <h1>{say.verify}</h1>
      </header>
      <div className="scroll">
        <div className="stack">
          <p className="quiet">{say.check.lead}</p>
          <VerifyForm onJudged={setJudged} />
          {judged && (
            <Suspense fallback={<Loading />}>
              <Report {...judged} />
            </Suspense>
          )}
        </div>
      </div>
    </>
  );
}

function VerifyForm({ onJudged }: { readonly onJudged: (judged: Judged | null) => void }) {
  const say = useSay().check;
  const { verify, call } = useBridge();
  const [given, setGiven] = useState<Given>({});
  const [usesServerKey, setUsesServerKey] = useState(false);
  const [part, setPart] = useState<number | null>(null);
  const { run, isBusy, error } = useAction(async () => {
    const { original, proof } = given;
    if (!original || !proof) return;
    onJudged(null);
    setPart(0);
    const onProgress = (read: number, size: number) => setPart(read / Math.max(1, size));
    const check = (trustedKey?: File) => verify({ original, proof, onProgress, ...(trustedKey && { trustedKey }) });
    try {
      const report = await (usesServerKey ? verifyWithServerKey(check, call) : check(given.trustedKey));
      onJudged({ report, checked: { original, proof } });
    } finally {
      setPart(null);
    }
  });
  const slot = (name: keyof Given, label: string, more: { accept?: string; hint?: string; required?: boolean }) => (
    <Field label={label} type="file" {...more} onFile={file => setGiven({ ...given, [name]: file })} />
  );
  return (
    <Form className="form card" onSend={run}>
      {slot('original', say.original, { required: true })}
      {slot('proof', say.proof, { required: true, accept: '.zip,application/zip' })}
      {!usesServerKey && slot('trustedKey', say.key, { accept: '.json,application/json', hint: say.keyHint })}
      <label className="check">
        <input type="checkbox" checked={usesServerKey} onChange={event => setUsesServerKey(event.target.checked)} />
        {say.useServerKey}
      </label>
      {part !== null && <progress aria-label={say.reading} max={1} value={part} />}
      <Problem error={error} />
      <div className="actions">
        <button type="submit" disabled={isBusy}>
          {say.submit}
        </button>
      </div>
    </Form>
  );
}

/** The key that signs now; where the proof names an earlier one, that. */
async function verifyWithServerKey(
  check: (trustedKey: File) => Promise<VerificationReport>,
  call: Client['call'],
): Promise<VerificationReport> {
  const keys = await call(listIssuerKeys);
  const toFile = (key: unknown) => new File([JSON.stringify(key)], 'key.json', { type: 'application/json' });
  const report = await check(toFile(keys[0]));
  if (report.reason !== 'TRUSTED_KEY_OTHER') return report;
  const { keyId, keyVersion } = report.summary;
  const named = keys.find(key => key.keyId === keyId && key.keyVersion === keyVersion);
  return named ? check(toFile(named)) : report;
}
