import { register } from '@recordproof/shared/api/auth.ts';
import { useState } from 'react';
import { go } from '../../router.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { BackToSignIn, DoorFrame } from './door-frame.tsx';
import { type Mailed, MailedCode } from './mailed-code.tsx';

/** Whoever has an account is signed in with it; `onMade` hears of one that is there and could not be signed in. */
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
    <DoorFrame title={say.registerTitle} lead={say.registerLead}>
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
    </DoorFrame>
  );
}
