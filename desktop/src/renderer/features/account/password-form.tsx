import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

export function PasswordForm() {
  const say = useSay();
  const { session } = useBridge();
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const [isChanged, setChanged] = useState(false);
  const { run, isBusy, error } = useAction(async () => {
    setChanged(false);
    await session.changePassword({ oldPassword, newPassword });
    setOld('');
    setNew('');
    setChanged(true);
  });
  return (
    <Form className="card form" onSend={run}>
      <h2>{say.me.passwordTitle}</h2>
      <Field
        label={say.me.oldPassword}
        type="password"
        value={oldPassword}
        onText={setOld}
        autoComplete="current-password"
        required
      />
      <Field
        label={say.auth.newPassword}
        hint={say.auth.passwordHint}
        type="password"
        value={newPassword}
        onText={setNew}
        autoComplete="new-password"
        minLength={8}
        required
      />
      <Problem error={error} />
      <div className="actions">
        <button type="submit" className="plain" disabled={isBusy}>
          {say.me.change}
        </button>
        <span role="status" className="quiet small">
          {isChanged && say.me.changed}
        </span>
      </div>
    </Form>
  );
}
