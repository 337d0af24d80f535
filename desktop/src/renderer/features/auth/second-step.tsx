// Second step of a sign-in, after the right password: giving the second factor, or setting up one that is required.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type PendingSignIn, pendingSignIn } from '@recordproof/shared/api/factors.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { CodeField, toProof } from '../factors/factor-fields.tsx';
import { canUsePasskeys, givePasskey } from '../factors/passkeys.ts';
import { AuthFrame } from './auth-frame.tsx';
import { Enrol } from './enrol.tsx';

export type NextStep = PendingSignIn & { readonly kind: 'factor' | 'enrolment' };

/** The next step of a rejected sign-in; any other rejection is thrown on. */
export function findNextStep(error: unknown): NextStep {
  if (error instanceof ApiError && error.kind === 'SECOND_FACTOR_REQUIRED')
    return { kind: 'factor', ...pendingSignIn.parse(error.detail) };
  if (error instanceof ApiError && error.kind === 'SECOND_FACTOR_ENROLMENT')
    return { kind: 'enrolment', ...pendingSignIn.parse(error.detail) };
  throw error;
}

type StepProps = { readonly step: NextStep; readonly stay: boolean; readonly onBack: () => void };

export function SecondStep(props: StepProps) {
  const texts = useWords(securityWords);
  const back = <Button label={texts.startAgain} variant="bare" onClick={props.onBack} />;
  if (props.step.kind === 'enrolment') return <Enrol {...props} back={back} />;
  return (
    <AuthFrame title={texts.secondTitle} lead={texts.secondLead}>
      <GiveFactor {...props} />
      {back}
    </AuthFrame>
  );
}

function GiveFactor({ step: { challenge, factors }, stay }: StepProps) {
  const texts = useWords(securityWords);
  const bridge = useBridge();
  const { session } = bridge;
  const passkey = useAction(async () => {
    const credential = await givePasskey(bridge.call);
    await session.giveFactor({ challenge, proof: { kind: 'passkey', credential }, stay });
  });
  const [code, setCode] = useState('');
  const action = useAction(() => session.giveFactor({ challenge, proof: toProof(code), stay }));
  return (
    <ActionForm action={action} submit={texts.signIn}>
      {factors.includes('passkey') && canUsePasskeys(bridge) && (
        <Button label={texts.usePasskey} disabled={passkey.isBusy} onClick={() => passkey.run()} />
      )}
      <Problem error={passkey.error} />
      <CodeField
        label={factors.includes('totp') ? texts.code : texts.recovery}
        hint={texts.codeHint}
        value={code}
        onText={setCode}
      />
    </ActionForm>
  );
}
