// Before anybody is signed in: signing in, opening an account, setting a new password.
import { useState } from 'react';
import { toHref, usePlace } from '../../router.ts';
import { useSay } from '../../surroundings.ts';
import { Elsewhere } from '../program/elsewhere.tsx';
import { Register } from './register.tsx';
import { Reset } from './reset.tsx';
import { SignIn } from './sign-in.tsx';

export function Door({ ended }: { readonly ended: boolean }) {
  const { path } = usePlace();
  const say = useSay();
  const [done, setDone] = useState<string | null>(null);
  const note = done ?? (ended ? say.auth.ended : null);
  const finish = (text: string) => {
    setDone(text);
    location.hash = toHref('');
  };
  return (
    <main className="door">
      <div className="card">
        <div className="brand">
          <img src="/assets/icon.svg" alt="" /> RecordProof
        </div>
        {path === 'register' && <Register onMade={() => finish(say.auth.created)} />}
        {path === 'reset' && <Reset onDone={() => finish(say.auth.reset)} />}
        {path !== 'register' && path !== 'reset' && <SignIn note={note} />}
      </div>
      <Elsewhere />
    </main>
  );
}
