// Forms with a code that was mailed: registration and password reset.

import { type MailCodeType, register, requestMailCode, resetPassword } from '@recordproof/shared/api/auth.ts';
import { type ReactNode, useState } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { go } from '../../router.ts';
import { Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { AuthFrame, BackToSignIn } from './auth-frame.tsx';

/** Fields that both endpoints share. */
type Mailed = { readonly email: string; readonly code: string; readonly password: string };
type Sent = { readonly email: string; readonly inFile: boolean };

type MailedCodeProps = {
  readonly type: MailCodeType;
  /** Text of the last button. */
  readonly submit: string;
  readonly onSubmit: (mailed: Mailed) => Promise<void>;
  /** Fields before the password. */
  readonly children?: ReactNode;
};

function MailedCode({ type, ...finish }: MailedCodeProps) {
  const say = useSay().auth;
  const { call } = useBridge();
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);
  const { run, isBusy, error } = useAction(async () => {
    const { delivery } = await call(requestMailCode, { body: { email: email.trim(), type } });
    setSent({ email: email.trim(), inFile: delivery === 'file' });
  });
  if (sent)
    return (
      <>
        <p className="note" role="status">
          {say.codeSent(sent.email)} {sent.inFile && say.codeInFile}
        </p>
        <Finish email={sent.email} {...finish} />
        <button type="button" className="bare" onClick={() => setSent(null)}>
          {say.anotherCode}
        </button>
      </>
    );
  return (
    <Form onSend={run}>
      <Field label={say.email} type="email" value={email} onText={setEmail} autoComplete="email" required autoFocus />
      <Problem error={error} />
      <button type="submit" disabled={isBusy}>
        {say.sendCode}
      </button>
    </Form>
  );
}

function Finish({ email, submit, onSubmit, children }: Omit<MailedCodeProps, 'type'> & Pick<Mailed, 'email'>) {
  const say = useSay().auth;
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(() => onSubmit({ email, code: code.trim(), password }));
  return (
    <Form onSend={run}>
      <Field
        label={say.code}
        value={code}
        onText={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
      />
      {children}
      <Field
        label={say.newPassword}
        hint={say.passwordHint}
        type="password"
        value={password}
        onText={setPassword}
        autoComplete="new-password"
        minLength={8}
        required
      />
      <Problem error={error} />
      <button type="submit" disabled={isBusy}>
        {submit}
      </button>
    </Form>
  );
}

/** Signs in to the new account; `onMade` is called where the account exists and that failed. */
export function Register({ onMade }: { readonly onMade: () => void }) {
  const say = useSay().auth;
  const { call, session } = useBridge();
  const [typed, setTyped] = useState('');
  const make = async (mailed: Mailed) => {
    const username = typed.trim();
    await call(register, { body: { ...mailed, username } });
    await session.signIn({ username, password: mailed.password, stay: true }).then(() => go(''), onMade);
  };
  return (
    <AuthFrame title={say.registerTitle} lead={say.registerLead}>
      <MailedCode type="register" submit={say.create} onSubmit={make}>
        <Field
          label={say.newUsername}
          hint={say.usernameHint}
          value={typed}
          onText={setTyped}
          autoComplete="username"
          required
        />
      </MailedCode>
      <BackToSignIn />
    </AuthFrame>
  );
}

export function Reset({ onDone }: { readonly onDone: () => void }) {
  const say = useSay().auth;
  const { call } = useBridge();
  const set = async (mailed: Mailed) => {
    await call(resetPassword, { body: mailed });
    onDone();
  };
  return (
    <AuthFrame title={say.resetTitle} lead={say.resetLead}>
      <MailedCode type="reset" submit={say.setPassword} onSubmit={set} />
      <BackToSignIn />
    </AuthFrame>
  );
}
