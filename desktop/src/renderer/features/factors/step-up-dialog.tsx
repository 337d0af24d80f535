// Dialog that asks for a fresh factor.
import type { Client } from '@recordproof/shared/api/client.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { stepUp } from '@recordproof/shared/api/factors.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CurrentPassword, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { findProblem } from '../single-sign-on/provider-buttons.tsx';
import { CodeField, toProof } from './factor-fields.tsx';
import { canUsePasskeys, givePasskey } from './passkeys.ts';

export type StepUpRequest = {
  readonly factors: readonly string[];
  readonly complete: () => void;
  readonly cancel: () => void;
};

export function StepUpDialog({ request, call }: { readonly request: StepUpRequest; readonly call: Client['call'] }) {
  const texts = useWords(securityWords);
  const { cancel } = useTexts();
  const bridge = useBridge();
  const [typed, setTyped] = useState('');
  const byPassword = request.factors.includes('password');
  const byCode = request.factors.some(factor => factor === 'totp' || factor === 'recovery-code');
  const { run, isBusy, error } = useAction(async () => {
    const proof = byPassword ? ({ kind: 'password', password: typed } as const) : toProof(typed);
    await call(stepUp, { body: { proof } });
    request.complete();
  });
  const passkey = useAction(async () => {
    const credential = await givePasskey(call);
    await call(stepUp, { body: { proof: { kind: 'passkey', credential } } });
    request.complete();
  });
  return (
    <Dialog title={texts.stepUpTitle} onClose={request.cancel}>
      <Form onSend={run}>
        <p>{texts.stepUpText}</p>
        {request.factors.includes('passkey') && canUsePasskeys(bridge) && (
          <Button label={texts.usePasskey} disabled={passkey.isBusy} onClick={() => passkey.run()} />
        )}
        <Problem error={passkey.error} />
        {request.factors.includes('provider') && <ProviderStepUp onComplete={request.complete} />}
        {byPassword && <CurrentPassword label={texts.password} value={typed} onText={setTyped} autoFocus />}
        {byCode && <CodeField label={texts.code} hint={texts.codeHint} value={typed} onText={setTyped} />}
        <Problem error={error} />
        <div className="actions">
          {(byPassword || byCode) && <Button label={texts.go} type="submit" disabled={isBusy} />}
          <Button label={cancel} variant="plain" onClick={request.cancel} />
        </div>
      </Form>
    </Dialog>
  );
}

const isBlocked = (error: unknown): boolean => error instanceof ApiError && error.detail?.problem === 'pop-up-blocked';

function ProviderStepUp({ onComplete }: { readonly onComplete: () => void }) {
  const texts = useWords(signOnWords);
  const { session } = useBridge();
  const { run, isBusy, error } = useAction(async () => {
    await session.stepUpThroughProvider();
    onComplete();
  });
  const problem = findProblem(error);
  return (
    <>
      <p>{texts.againText}</p>
      <Button label={texts.atProvider} disabled={isBusy} onClick={() => run()} />
      {isBusy && <p role="status">{texts.atProviderWaits}</p>}
      {isBlocked(error) ? (
        <p className="problem">{texts.popUpBlocked}</p>
      ) : problem ? (
        <p className="problem">{texts.problems[problem]}</p>
      ) : (
        <Problem error={error} />
      )}
    </>
  );
}
