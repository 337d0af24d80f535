// Part of the step-up dialog: signs in again at the provider where the session began.

import { ApiError } from '@recordproof/shared/api/errors.ts';
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useBridge, useWords } from '../../context.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { findProblem } from '../single-sign-on/provider-buttons.tsx';

const isBlocked = (error: unknown): boolean => error instanceof ApiError && error.detail?.problem === 'pop-up-blocked';

export function ProviderStepUp({ onComplete }: { readonly onComplete: () => void }) {
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
      <button type="button" disabled={isBusy} onClick={() => run()}>
        {texts.atProvider}
      </button>
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
