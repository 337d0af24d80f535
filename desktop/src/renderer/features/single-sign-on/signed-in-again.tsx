// Final screen of a page that was opened for a repeated sign-in at a provider.

import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useEffect } from 'react';
import { announceStepUp } from '../../../bridge/step-up-channel.ts';
import { useWords } from '../../context.ts';
import { useRoute } from '../../router.ts';
import { SignInProblemNote } from './provider-buttons.tsx';

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
