// Forms with a code that was mailed, and the password reset.
import { type Delivery, type MailCodeType, requestMailCode, resetPassword } from '@recordproof/shared/api/auth.ts';
import { type ReactNode, useState } from 'react';
import { useBridge, useTexts } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { AuthFrame, BackToSignIn } from './auth-frame.tsx';

/** Fields that both endpoints share. */
export type Mailed = { readonly email: string; readonly code: string; readonly password: string };
type Sent = { readonly email: string; readonly inFile: boolean };

type MailedCodeProps = {
  readonly request: (email: string) => Promise<{ readonly delivery?: Delivery | undefined }>;
  /** Text of the last button. */
  readonly submit: string;
  readonly onSubmit: (mailed: Mailed) => Promise<void>;
  /** Fields before the password. */
  readonly children?: ReactNode;
};

export function useRequestOf(type: MailCodeType): MailedCodeProps['request'] {
  const { call } = useBridge();
  return email => call(requestMailCode, { body: { email, type } });
}

export function MailedCode({ request, ...finish }: MailedCodeProps) {
  const texts = useTexts().auth;
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<Sent | null>(null);
  const action = useAction(async () => {
    const { delivery } = await request(email.trim());
    setSent({ email: email.trim(), inFile: delivery === 'file' });
  });
  if (sent)
    return (
      <>
        <p className="note" role="status">
          {texts.codeSent(sent.email)} {sent.inFile && texts.codeInFile}
        </p>
        <Finish email={sent.email} {...finish} />
        <Button label={texts.anotherCode} variant="bare" onClick={() => setSent(null)} />
      </>
    );
  return (
    <ActionForm action={action} submit={texts.sendCode}>
      <Field label={texts.email} type="email" value={email} onText={setEmail} autoComplete="email" required autoFocus />
    </ActionForm>
  );
}

function Finish({ email, submit, onSubmit, children }: Omit<MailedCodeProps, 'request'> & Pick<Mailed, 'email'>) {
  const texts = useTexts().auth;
  const [code, setCode] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(() => onSubmit({ email, code: code.trim(), password }));
  return (
    <ActionForm action={action} submit={submit}>
      <Field
        label={texts.code}
        value={code}
        onText={setCode}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
      />
      {children}
      <NewPassword value={password} onText={setPassword} />
    </ActionForm>
  );
}

type TextProps = { readonly value: string; readonly onText: (text: string) => void };

export function NewPassword(text: TextProps) {
  const texts = useTexts().auth;
  return (
    <Field
      label={texts.newPassword}
      hint={texts.passwordHint}
      type="password"
      autoComplete="new-password"
      minLength={8}
      required
      {...text}
    />
  );
}

export function NewUsername(text: TextProps) {
  const texts = useTexts().auth;
  return <Field label={texts.newUsername} hint={texts.usernameHint} autoComplete="username" required {...text} />;
}

export function Reset({ onDone }: { readonly onDone: () => void }) {
  const texts = useTexts().auth;
  const { call } = useBridge();
  const set = async (mailed: Mailed) => {
    await call(resetPassword, { body: mailed });
    onDone();
  };
  return (
    <AuthFrame title={texts.resetTitle} lead={texts.resetLead}>
      <MailedCode request={useRequestOf('reset')} submit={texts.setPassword} onSubmit={set} />
      <BackToSignIn />
    </AuthFrame>
  );
}
