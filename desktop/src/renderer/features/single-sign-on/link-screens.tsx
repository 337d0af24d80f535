// Screens that a link of single sign-on leads to: a program's code, a repeated sign-in, a one-time link.
import { appHeader } from '@recordproof/shared/api/auth.ts';
import { approveDeviceSignIn, findDeviceSignIn } from '@recordproof/shared/api/program-sign-in.ts';
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useEffect, useState } from 'react';
import { announceStepUp } from '../../../bridge/step-up-channel.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { go, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { SignInProblemNote } from './provider-buttons.tsx';

const headers = { [appHeader]: 'browser' };

type Waiting = { readonly title: string; readonly address: string; readonly startedAt: string };

export function DeviceScreen() {
  const texts = useWords(signOnWords);
  const isDone = useRoute().query.get('done') !== null;
  return (
    <main className="sign-in">
      <div className="card">
        <div className="brand">
          <img src="/assets/icon.svg" alt="" /> RecordProof
        </div>
        <h1>{texts.device}</h1>
        {isDone ? <p role="status">{texts.deviceDone}</p> : <DeviceForm />}
      </div>
    </main>
  );
}

function DeviceForm() {
  const texts = useWords(signOnWords);
  const { call } = useBridge();
  const [userCode, setUserCode] = useState('');
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const find = useAction(async () => setWaiting(await call(findDeviceSignIn, { body: { userCode }, headers })));
  const approve = useAction(async () => {
    const { url } = await call(approveDeviceSignIn, { body: { userCode }, headers });
    location.assign(url);
  });
  if (waiting) return <Approval waiting={waiting} approve={approve} />;
  return (
    <ActionForm action={find} submit={texts.next}>
      <SignInProblemNote />
      <p>{texts.deviceText}</p>
      <Field label={texts.deviceCode} value={userCode} onText={setUserCode} autoComplete="off" required autoFocus />
    </ActionForm>
  );
}

type Approving = { readonly run: () => unknown; readonly isBusy: boolean; readonly error: unknown };

function Approval({ waiting, approve }: { readonly waiting: Waiting; readonly approve: Approving }) {
  const texts = useWords(signOnWords);
  const language = useLanguage();
  return (
    <div className="form">
      <p>{texts.deviceFrom(waiting.address, formatTime(waiting.startedAt, language))}</p>
      <p>{texts.deviceWarning}</p>
      <Problem error={approve.error} />
      <Button label={texts.signInWith(waiting.title)} disabled={approve.isBusy} onClick={() => approve.run()} />
    </div>
  );
}

export function SignedInAgain() {
  const texts = useWords(signOnWords);
  const { query } = useRoute();
  const problem = query.get('problem');
  useEffect(() => {
    announceStepUp(problem);
    if (problem === null) window.close();
  }, [problem]);
  return (
    <main className="sign-in">
      <div className="card">
        <h1>{texts.again}</h1>
        {problem === null ? <p role="status">{texts.againDone}</p> : <SignInProblemNote />}
      </div>
    </main>
  );
}

export function SignInLink() {
  const texts = useWords(signOnWords);
  const { session } = useBridge();
  const code = useRoute().query.get('code') ?? '';
  const { run, isBusy, error } = useAction(async () => {
    await session.signInByLink({ code });
    go('');
  });
  return (
    <div className="form">
      <h1>{texts.link}</h1>
      <p>{texts.linkText}</p>
      <Problem error={error} />
      <Button label={texts.useLink} disabled={isBusy} onClick={() => run()} />
    </div>
  );
}
