// Second factors of an account, for administrators, and the button that resets them.
import type { Account } from '@recordproof/shared/api/accounts.ts';
import { getUserFactors, resetUserFactors } from '@recordproof/shared/api/user-factors.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskButton } from '../../ui/dialog.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Facts } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';
import { useReason } from './admin-elements.tsx';

type Props = { readonly user: Account; readonly onReset: () => void };

export function UserFactorsPart({ user, onReset }: Props) {
  const texts = useWords(securityWords);
  const language = useLanguage();
  const { call } = useBridge();
  const { state, reload } = useLoad(user.id, signal => call(getUserFactors, { params: { id: user.id }, signal }));
  const { reason, field } = useReason();
  if (state.kind === 'failed') return <Problem error={state.error} />;
  if (state.kind === 'loading') return null;
  const { totp, passkeys, recoveryCodesLeft, required } = state.value;
  const hasFactor = totp !== null || passkeys > 0;
  const reset = async () => {
    await call(resetUserFactors, { params: { id: user.id }, query: reason });
    reload();
    onReset();
  };
  return (
    <section>
      <h3>{texts.userFactors}</h3>
      <Facts
        of={{
          [texts.totp]: totp === null ? texts.totpOff : texts.totpSince(formatTime(totp.since, language)),
          [texts.passkeys]: passkeys,
          [texts.codesTitle]: hasFactor && texts.codesLeft(recoveryCodesLeft),
        }}
      />
      {required && <p className="quiet small">{hasFactor ? texts.requiredOfUser : texts.requiredMissing}</p>}
      {hasFactor && (
        <div className="actions">
          <AskButton label={texts.reset} title={texts.resetAsk(user.username)} text={texts.resetText} act={reset}>
            {field}
          </AskButton>
        </div>
      )}
    </section>
  );
}
