// Screen before sign-in: sign-in, registration, password reset.
import { useState } from 'react';
import { useBridge, useSay } from '../../context.ts';
import { toHref, usePlace } from '../../router.ts';
import { Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { OtherServers } from '../program/other-servers.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { Reset } from './mailed-code-forms.tsx';
import { Register, useRegistration } from './register-form.tsx';

export function SignInScreen({ ended }: { readonly ended: boolean }) {
  const { path } = usePlace();
  const say = useSay();
  const [done, setDone] = useState<string | null>(null);
  const note = done ?? (ended ? say.auth.ended : null);
  const finish = (text: string) => {
    setDone(text);
    location.hash = toHref('');
  };
  return (
    <main className="sign-in">
      <div className="card">
        <div className="brand">
          <img src="/assets/icon.svg" alt="" /> RecordProof
        </div>
        {path === 'register' && <Register onMade={() => finish(say.auth.created)} />}
        {path === 'reset' && <Reset onDone={() => finish(say.auth.reset)} />}
        {path !== 'register' && path !== 'reset' && <SignIn note={note} />}
      </div>
      <OtherServers />
    </main>
  );
}

function SignIn({ note }: { readonly note: string | null }) {
  const say = useSay().auth;
  const { session } = useBridge();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [stay, setStay] = useState(true);
  const { run, isBusy, error } = useAction(() => session.signIn({ username, password, stay }));
  return (
    <AuthFrame title={say.title} lead={say.lead}>
      {note !== null && (
        <p className="note" role="status">
          {note}
        </p>
      )}
      <Form onSend={run}>
        <Field label={say.username} value={username} onText={setUsername} autoComplete="username" required autoFocus />
        <Field
          label={say.password}
          type="password"
          value={password}
          onText={setPassword}
          autoComplete="current-password"
          required
        />
        <label className="check">
          <input type="checkbox" checked={stay} onChange={event => setStay(event.target.checked)} />
          {say.stay}
        </label>
        <Problem error={error} />
        <button type="submit" disabled={isBusy}>
          {say.submit}
        </button>
      </Form>
      <div className="links">
        <ToRegister />
        <a href={toHref('reset')}>{say.toReset}</a>
      </div>
    </AuthFrame>
  );
}

function ToRegister() {
  const say = useSay().auth;
  const { isLoading, registration } = useRegistration();
  if (isLoading) return null;
  if (registration?.mode === 'closed') return <span className="quiet">{say.registerClosed}</span>;
  return <a href={toHref('register')}>{registration?.mode === 'invite' ? say.haveInvitation : say.toRegister}</a>;
}
