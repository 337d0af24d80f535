// Sign-in screen: a button for each provider, and why a sign-in through one was rejected.
import type { AnswerOf } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { listSignInProviders, type SignInProblem, signInProblems } from '@recordproof/shared/api/single-sign-on.ts';
import { signOnWords } from '@recordproof/shared/words/app-sign-on.ts';
import { useBridge, useWords } from '../../context.ts';
import { useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

type Providers = AnswerOf<typeof listSignInProviders>;

/** Local sign-in until the server says otherwise. */
export function useProviders(): Providers {
  const { call } = useBridge();
  const { state } = useLoad('sign-in-providers', signal => call(listSignInProviders, { signal }));
  return state.kind === 'ready' ? state.value : { localSignIn: true, providers: [] };
}

const isProblem = (text: unknown): text is SignInProblem => signInProblems.some(problem => problem === text);

/** Of an error of the desktop app, which waits itself for the sign-in. */
export const findProblem = (error: unknown): SignInProblem | null => {
  const problem = error instanceof ApiError ? error.detail?.problem : undefined;
  return isProblem(problem) ? problem : null;
};

export function SignInProblemNote() {
  const texts = useWords(signOnWords);
  const problem = useRoute().query.get('problem');
  return isProblem(problem) ? <p className="problem">{texts.problems[problem]}</p> : null;
}

export function ProviderButtons({ providers, stay }: Pick<Providers, 'providers'> & { readonly stay: boolean }) {
  const texts = useWords(signOnWords);
  const { session, shell } = useBridge();
  const { path, rest } = useRoute();
  const returnTo = rest === '' ? path : `${path}/${rest}`;
  const { run, isBusy, error } = useAction((provider: string) => session.signInThrough({ provider, stay, returnTo }));
  const problem = findProblem(error);
  if (providers.length === 0) return null;
  return (
    <div className="form">
      {providers.map(({ id, title }) => (
        <Button key={id} label={texts.signInWith(title)} variant="plain" disabled={isBusy} onClick={() => run(id)} />
      ))}
      {isBusy && shell && <p role="status">{texts.inBrowser}</p>}
      {problem ? <p className="problem">{texts.problems[problem]}</p> : <Problem error={error} />}
    </div>
  );
}
