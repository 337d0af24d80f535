import { updateProfile } from '@recordproof/shared/api/accounts.ts';
import { useState } from 'react';
import { useAccount, useBridge, useSay } from '../../surroundings.ts';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

export function ProfileForm() {
  const say = useSay();
  const { call, session } = useBridge();
  const { username, email, role, nickname } = useAccount();
  const [name, setName] = useState(nickname ?? '');
  const [isSaved, setSaved] = useState(false);
  const { run, isBusy, error } = useAction(async () => {
    await call(updateProfile, { body: { nickname: name.trim() === '' ? null : name } });
    await session.reload();
    setSaved(true);
  });
  const type = (text: string) => {
    setName(text);
    setSaved(false);
  };
  return (
    <Form className="card form" onSend={run}>
      <h2>{say.me.profile}</h2>
      <dl className="facts">
        <dt>{say.auth.newUsername}</dt>
        <dd>{username}</dd>
        <dt>{say.auth.email}</dt>
        <dd>{email}</dd>
        <dt>{say.me.role}</dt>
        <dd>{say.me.roles[role]}</dd>
      </dl>
      <Field label={say.me.nickname} value={name} onText={type} maxLength={50} autoComplete="nickname" />
      <Problem error={error} />
      <div className="actions">
        <button type="submit" disabled={isBusy}>
          {say.me.save}
        </button>
        <span role="status" className="quiet small">
          {isSaved && say.me.saved}
        </span>
      </div>
    </Form>
  );
}
