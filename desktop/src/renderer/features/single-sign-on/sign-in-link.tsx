// Screen of a one-time link: one press, so that a preview of the link does not use it up.
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useBridge, useWords } from '../../context.ts';
import { go, useRoute } from '../../router.ts';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

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
      <button type="button" disabled={isBusy} onClick={() => run()}>
        {texts.useLink}
      </button>
    </div>
  );
}
