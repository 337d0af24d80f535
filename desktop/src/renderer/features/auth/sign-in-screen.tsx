// Screen before sign-in: sign-in, registration, password reset.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { toHref, toTarget, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, CurrentPassword, Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { Loading, Problem } from '../../ui/states.tsx';
import { canUsePasskeys, givePasskey } from '../factors/passkeys.ts';
import { OtherServers } from '../program/other-servers.tsx';
import { ProviderButtons, SignInProblemNote, useProviders } from '../single-sign-on/provider-buttons.tsx';
import { AuthFrame, useRegistration } from './auth-frame.tsx';
import { findNextStep, type NextStep, SecondStep } from './second-step.tsx';

// Most visits need none of them.
const Register = lazyPart(async () => (await import('./register-form.tsx')).Register, <Loading />);
const Reset = lazyPart(async () => (await import('./mailed-code-forms.tsx')).Reset, <Loading />);
const SignInLink = lazyPart(async () => (await import('../single-sign-on/link-screens.tsx')).SignInLink, <Loading />);

export function SignInScreen({ ended }: { readonly ended: boolean }) {
  const route = useRoute();
  const { path } = route;
  const texts = useTexts();
  const [done, setDone] = useState<string | null>(null);
  const note = done ?? (ended ? texts.auth.ended : null);
  const finish = (text: string) => {
    setDone(text);
    location.hash = toHref(toTarget(route));
  };
  return (
    <main className="sign-in">
      <div className="card">
        <div className="brand">
          <img src="/assets/icon.svg" alt="" /> RecordProof
        </div>
        {path === 'register' && <Register onMade={() => finish(texts.auth.created)} />}
        {path === 'reset' && <Reset onDone={() => finish(texts.auth.reset)} />}
        {path === 'sign-in-link' && <SignInLink />}
        {!['register', 'reset', 'sign-in-link'].includes(path) && <SignIn note={note} />}
      </div>
      <OtherServers />
    </main>
  );
}

const isWrongLogin = (error: unknown): boolean => error instanceof ApiError && error.kind === 'USER_LOGIN_ERROR';

function SignIn({ note }: { readonly note: string | null }) {
  const texts = useTexts().auth;
  const { session } = useBridge();
  const next = toTarget(useRoute());
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [stay, setStay] = useState(true);
  const { localSignIn, providers } = useProviders();
  const [step, setStep] = useState<NextStep | null>(null);
  const { run, isBusy, error } = useAction(async () => {
    const next = await session.signIn({ username, password, stay }).then(() => null, findNextStep);
    setStep(next);
  });
  if (step) return <SecondStep step={step} stay={stay} onBack={() => setStep(null)} />;
  return (
    <AuthFrame title={texts.title} lead={texts.lead}>
      {note !== null && (
        <p className="note" role="status">
          {note}
        </p>
      )}
      <SignInProblemNote />
      {localSignIn && (
        <>
          <Form onSend={run}>
            <Field
              label={texts.username}
              value={username}
              onText={setUsername}
              autoComplete="username"
              required
              autoFocus
            />
            <CurrentPassword label={texts.password} value={password} onText={setPassword} />
            <Checkbox label={texts.stay} checked={stay} onCheck={setStay} />
            <Problem error={error} />
            {isWrongLogin(error) && <p className="quiet">{texts.tenantHint}</p>}
            <Button label={texts.submit} type="submit" disabled={isBusy} />
          </Form>
          <PasskeySignIn stay={stay} />
          <div className="links">
            <ToRegister />
            <a href={toHref('reset', { next })}>{texts.toReset}</a>
          </div>
        </>
      )}
      <ProviderButtons providers={providers} stay={stay} />
    </AuthFrame>
  );
}

function PasskeySignIn({ stay }: { readonly stay: boolean }) {
  const texts = useWords(securityWords);
  const bridge = useBridge();
  const { run, isBusy, error } = useAction(async () => {
    await bridge.session.signInWithPasskey({ credential: await givePasskey(bridge.call), stay });
  });
  if (!canUsePasskeys(bridge)) return null;
  return (
    <>
      <Button label={texts.usePasskey} variant="plain" disabled={isBusy} onClick={() => run()} />
      <Problem error={error} />
    </>
  );
}

function ToRegister() {
  const texts = useTexts().auth;
  const { isLoading, registration } = useRegistration();
  const next = toTarget(useRoute());
  if (isLoading) return null;
  if (registration?.mode === 'closed') return <span className="quiet">{texts.registerClosed}</span>;
  return (
    <a href={toHref('register', { next })}>
      {registration?.mode === 'invite' ? texts.haveInvitation : texts.toRegister}
    </a>
  );
}
