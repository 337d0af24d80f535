// Setting up a required second factor before the session begins: a passkey or one-time codes, then the recovery codes.
import type { PendingSignIn } from '@recordproof/shared/api/factors.ts';
import { beginEnrolment } from '@recordproof/shared/api/one-time-codes.ts';
import { beginPasskeyEnrolment } from '@recordproof/shared/api/passkeys.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { type ReactNode, useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Loading, Problem } from '../../ui/states.tsx';
import { AppToSetUp, CodeField, RecoveryCodes } from '../factors/factor-fields.tsx';
import { canUsePasskeys, makePasskey } from '../factors/passkeys.ts';
import { AuthFrame } from './auth-frame.tsx';

type Props = {
  readonly step: PendingSignIn;
  readonly stay: boolean;
  /** Until the factor is set up: leaving then would lose the recovery codes. */
  readonly back: ReactNode;
};

export function Enrol({ step: { challenge, factors }, stay, back }: Props) {
  const texts = useWords(securityWords);
  const bridge = useBridge();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [choosesTotp, setChoosesTotp] = useState(false);
  const finish = useAction(() => bridge.session.finishSignIn({ stay }));
  const offersPasskey = factors.includes('passkey') && canUsePasskeys(bridge);
  if (codes !== null)
    return (
      <AuthFrame title={texts.enrolTitle} lead={texts.enrolDone}>
        <RecoveryCodes codes={codes} onKept={finish.run} isBusy={finish.isBusy} />
        <Problem error={finish.error} />
      </AuthFrame>
    );
  if (offersPasskey && !choosesTotp)
    return (
      <AuthFrame title={texts.enrolTitle} lead={texts.enrolChoice}>
        <PasskeyToSetUp challenge={challenge} onCodes={setCodes} />
        <Button label={texts.setUp} variant="plain" onClick={() => setChoosesTotp(true)} />
        <p className="quiet small">{texts.enrolTotpText}</p>
        {back}
      </AuthFrame>
    );
  return (
    <AuthFrame title={texts.enrolTitle} lead={texts.enrolLead}>
      <TotpToSetUp challenge={challenge} onCodes={setCodes} />
      {offersPasskey && (
        <Button label={texts.enrolPasskeyInstead} variant="plain" onClick={() => setChoosesTotp(false)} />
      )}
      {factors.includes('passkey') && !offersPasskey && (
        <p className="quiet small">{bridge.shell === null ? texts.passkeysByName : texts.enrolInBrowser}</p>
      )}
      {back}
    </AuthFrame>
  );
}

type Way = { readonly challenge: string; readonly onCodes: (codes: readonly string[]) => void };

function PasskeyToSetUp({ challenge, onCodes }: Way) {
  const texts = useWords(securityWords);
  const { call, session } = useBridge();
  const { run, isBusy, error } = useAction(async () => {
    const { options } = await call(beginPasskeyEnrolment, { body: { challenge } });
    const credential = await makePasskey(options);
    onCodes((await session.enrol({ challenge, credential })).recoveryCodes);
  });
  return (
    <>
      <Button label={texts.enrolPasskey} disabled={isBusy} onClick={() => run()} />
      <p className="quiet small">{texts.enrolPasskeyText}</p>
      <Problem error={error} />
    </>
  );
}

function TotpToSetUp({ challenge, onCodes }: Way) {
  const texts = useWords(securityWords);
  const { call, session } = useBridge();
  const [code, setCode] = useState('');
  const { state } = useLoad(challenge, signal => call(beginEnrolment, { body: { challenge }, signal }));
  const action = useAction(async () => onCodes((await session.enrol({ challenge, code: code.trim() })).recoveryCodes));
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <Problem error={state.error} />;
  return (
    <ActionForm action={action} submit={texts.confirm}>
      <AppToSetUp {...state.value} />
      <CodeField label={texts.firstCode} value={code} onText={setCode} />
    </ActionForm>
  );
}
