import { useState } from 'react';
import { toHref } from '../../router.ts';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { DoorFrame } from './door-frame.tsx';

export function SignIn({ note }: { readonly note: string | null }) {
  const say = useSay().auth;
  const { session } = useBridge();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [stay, setStay] = useState(true);
  const { run, isBusy, error } = useAction(() => session.signIn({ username, password, stay }));
  return (
    <DoorFrame title={say.title} lead={say.lead}>
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
        <a href={toHref('register')}>{say.toRegister}</a>
        <a href={toHref('reset')}>{say.toReset}</a>
      </div>
    </DoorFrame>
  );
}
