// Second factors of an account, for administrators, and the button that resets them.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import { getUserFactors, resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { useState } from 'react';
import { useBridge, useLanguage } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { useSecurityTexts } from '../factors/use-security-texts.ts';
import { useAdminTexts } from './use-admin-texts.ts';

type Props = { readonly user: Account; readonly onReset: () => void };

export function UserFactorsPart({ user, onReset }: Props) {
  const say = useSecurityTexts();
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad(user.id, signal => call(getUserFactors, { params: { id: user.id }, signal }));
  const [isAsking, setAsking] = useState(false);
  if (state.kind === 'failed') return <Problem error={state.error} />;
  if (state.kind === 'loading') return null;
  const { totp, passkeys, recoveryCodesLeft, required } = state.value;
  const hasFactor = totp !== null || passkeys > 0;
  const done = () => {
    reload();
    onReset();
  };
  return (
    <section>
      <h3>{say.userFactors}</h3>
      <dl className="facts">
        <dt>{say.totp}</dt>
        <dd>{totp === null ? say.totpOff : say.totpSince(formatTime(totp.since, language))}</dd>
        <dt>{say.passkeys}</dt>
        <dd>{passkeys}</dd>
        {hasFactor && (
          <>
            <dt>{say.codesTitle}</dt>
            <dd>{say.codesLeft(recoveryCodesLeft)}</dd>
          </>
        )}
      </dl>
      {required && <p className="quiet small">{hasFactor ? say.requiredOfUser : say.requiredMissing}</p>}
      {hasFactor && (
        <div className="actions">
          <button type="button" className="danger" onClick={() => setAsking(true)}>
            {say.reset}
          </button>
        </div>
      )}
      {isAsking && <AskReset user={user} onReset={done} onClose={() => setAsking(false)} />}
    </section>
  );
}

function AskReset({ user, onReset, onClose }: Props & { readonly onClose: () => void }) {
  const say = useSecurityTexts();
  const { reason, reasonHint } = useAdminTexts();
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const reset = async () => {
    const query = typed.trim() === '' ? {} : { reason: typed.trim() };
    await call(resetUserFactors, { params: { id: user.id }, query });
    onReset();
  };
  return (
    <AskDialog title={say.resetAsk(user.username)} text={say.resetText} yes={say.reset} act={reset} onClose={onClose}>
      <Field label={reason} hint={reasonHint} value={typed} onText={setTyped} maxLength={256} />
    </AskDialog>
  );
}
