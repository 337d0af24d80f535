// What registering and resetting have in common: a code goes to an address, and comes back with a new password.
import { type MailCodeType, requestMailCode } from '@recordproof/shared/api/auth.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

/** As the contracts of both calls have it. */
export type Mailed = { readonly email: string; readonly code: string; readonly password: string };
type Sent = { readonly email: string; readonly inFile: boolean };

type MailedCodeProps = {
  readonly type: MailCodeType;
  /** Of the button at the end. */
  readonly submit: string;
  readonly onSubmit: (mailed: Mailed) => Promise<void>;
  /** Fields that stand before the password. */
  readonly children?: ReactNode;
};

export function MailedCode({ type, ...finish }: MailedCodeProps) {
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
