// Forms of the own account: profile and password.
import { updateProfile } from '@recordproof/shared/api/accounts.ts';
import { useState } from 'react';
import { useAccount, useBridge, useTexts } from '../../context.ts';
import { ActionForm, CurrentPassword, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Facts } from '../../ui/panes.tsx';
import { NewPassword } from '../auth/mailed-code-forms.tsx';

export function ProfileForm() {
  const texts = useTexts();
  const { call, session } = useBridge();
  const { username, signInName, email, role, nickname } = useAccount();
  const [name, setName] = useState(nickname ?? '');
  const [isSaved, setSaved] = useState(false);
  const action = useAction(async () => {
    await call(updateProfile, { body: { nickname: name.trim() === '' ? null : name } });
    await session.reload();
    setSaved(true);
  });
  const type = (text: string) => {
    setName(text);
    setSaved(false);
  };
  return (
    <ActionForm
      className="card form"
      action={action}
      submit={texts.me.save}
      beside={
        <span role="status" className="quiet small">
          {isSaved && texts.me.saved}
        </span>
      }
    >
      <h2>{texts.me.profile}</h2>
      <Facts
        of={{
          [texts.auth.newUsername]: username,
          [texts.auth.signInName]: signInName,
          [texts.auth.email]: email,
          [texts.me.role]: texts.me.roles[role],
        }}
      />
      <Field label={texts.me.nickname} value={name} onText={type} maxLength={50} autoComplete="nickname" />
    </ActionForm>
  );
}

export function PasswordForm() {
  const texts = useTexts();
  const { session } = useBridge();
  const [oldPassword, setOld] = useState('');
  const [newPassword, setNew] = useState('');
  const [isChanged, setChanged] = useState(false);
  const action = useAction(async () => {
    setChanged(false);
    await session.changePassword({ oldPassword, newPassword });
    setOld('');
    setNew('');
    setChanged(true);
  });
  return (
    <ActionForm
      className="card form"
      action={action}
      submit={texts.me.change}
      variant="plain"
      beside={
        <span role="status" className="quiet small">
          {isChanged && texts.me.changed}
        </span>
      }
    >
      <h2>{texts.me.passwordTitle}</h2>
      <CurrentPassword label={texts.me.oldPassword} value={oldPassword} onText={setOld} />
      <NewPassword value={newPassword} onText={setNew} />
    </ActionForm>
  );
}
