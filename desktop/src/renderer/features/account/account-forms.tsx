// Forms of the own account: profile and password.

import { updateProfile } from '@recordproof/shared/api/accounts.ts';
import { useState } from 'react';
import { useAccount, useBridge, useTexts } from '../../context.ts';
import { Field, Form } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

export function ProfileForm() {
  const texts = useTexts();
  const { call, session } = useBridge();
  const { username, signInName, email, role, nickname } = useAccount();
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
      <h2>{texts.me.profile}</h2>
      <dl className="facts">
        <dt>{texts.auth.newUsername}</dt>
        <dd>{username}</dd>
        {signInName !== undefined && (
          <>
            <dt>{texts.auth.signInName}</dt>
            <dd>{signInName}</dd>
          </>
        )}
        <dt>{texts.auth.email}</dt>
        <dd>{email}</dd>
        <dt>{texts.me.role}</dt>
        <dd>{texts.me.roles[role]}</dd>
      </dl>
      <Field label={texts.me.nickname} value={name} onText={type} maxLength={50} autoComplete="nickname" />
      <Problem error={error} />
      <div className="actions">
        <button type="submit" disabled={isBusy}>
          {texts.me.save}
        </button>
        <span role="status" className="quiet small">
          {isSaved && texts.me.saved}
        </span>
      </div>
    </Form>
  );
}

export function PasswordForm() {
  const texts = useTexts();
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
      <h2>{texts.me.passwordTitle}</h2>
      <Field
        label={texts.me.oldPassword}
        type="password"
        value={oldPassword}
        onText={setOld}
        autoComplete="current-password"
        required
      />
      <Field
        label={texts.auth.newPassword}
        hint={texts.auth.passwordHint}
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
          {texts.me.change}
        </button>
        <span role="status" className="quiet small">
          {isChanged && texts.me.changed}
        </span>
      </div>
    </Form>
  );
}
