// The step that registering and resetting begin with: a code to an address.
import { type MailCodeType, requestMailCode } from '@recordproof/shared/api/auth.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

type Sent = { readonly email: string; readonly inFile: boolean };
type MailedCode = { readonly type: MailCodeType; readonly children: (email: string) => ReactNode };

export function MailedCode({ type, children }: MailedCode) {
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
        {children(sent.email)}
        <button type="button" className="bare" onClick={() => setSent(null)}>
          {say.otherAddress}
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
