import { register } from '@recordproof/shared/api/auth.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { BackToSignIn, DoorFrame } from './door-frame.tsx';
import { MailedCode } from './mailed-code.tsx';

type Finishing = { readonly onDone: () => void };

export function Register({ onDone }: Finishing) {
  const say = useSay().auth;
  return (
    <DoorFrame title={say.registerTitle} lead={say.registerLead}>
      <MailedCode type="register">{email => <RegisterForm email={email} onDone={onDone} />}</MailedCode>
      <BackToSignIn />
    </DoorFrame>
  );
}

function RegisterForm({ email, onDone }: Finishing & { readonly email: string }) {
  const say = useSay().auth;
  const { call } = useBridge();
  const [code, setCode] = useState('');
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await call(register, { body: { email, code: code.trim(), username: username.trim(), password } });
    onDone();
  });
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
      <Field
        label={say.newUsername}
        hint={say.usernameHint}
        value={username}
        onText={setUsername}
        autoComplete="username"
        required
      />
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
        {say.create}
      </button>
    </Form>
  );
}
