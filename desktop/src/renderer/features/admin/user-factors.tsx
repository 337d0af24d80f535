// Second factors of an account, for administrators, and the button that resets them.

import type { Account } from '@recordproof/shared/api/accounts.ts';
import { getUserFactors, resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

type Props = { readonly user: Account; readonly onReset: () => void };

export function UserFactorsPart({ user, onReset }: Props) {
  const texts = useWords(securityWords);
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
      <h3>{texts.userFactors}</h3>
      <dl className="facts">
        <dt>{texts.totp}</dt>
        <dd>{totp === null ? texts.totpOff : texts.totpSince(formatTime(totp.since, language))}</dd>
        <dt>{texts.passkeys}</dt>
        <dd>{passkeys}</dd>
        {hasFactor && (
          <>
            <dt>{texts.codesTitle}</dt>
            <dd>{texts.codesLeft(recoveryCodesLeft)}</dd>
          </>
        )}
      </dl>
      {required && <p className="quiet small">{hasFactor ? texts.requiredOfUser : texts.requiredMissing}</p>}
      {hasFactor && (
        <div className="actions">
          <button type="button" className="danger" onClick={() => setAsking(true)}>
            {texts.reset}
          </button>
        </div>
      )}
      {isAsking && <AskReset user={user} onReset={done} onClose={() => setAsking(false)} />}
    </section>
  );
}

function AskReset({ user, onReset, onClose }: Props & { readonly onClose: () => void }) {
  const texts = useWords(securityWords);
  const { reason, reasonHint } = useWords(adminWords);
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const reset = async () => {
    const query = typed.trim() === '' ? {} : { reason: typed.trim() };
    await call(resetUserFactors, { params: { id: user.id }, query });
    onReset();
  };
  return (
    <AskDialog
      title={texts.resetAsk(user.username)}
      text={texts.resetText}
      yes={texts.reset}
      act={reset}
      onClose={onClose}
    >
      <Field label={reason} hint={reasonHint} value={typed} onText={setTyped} maxLength={256} />
    </AskDialog>
  );
}
