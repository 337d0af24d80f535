// Form that creates an account with a password that is passed on to its owner; afterwards its panel is open, with role
// and quota.
import { type Account, createUser } from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/buttons.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Form, Segments } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { CommandLines } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

type CreateProps = { readonly onCreated: (user: Account) => void };
type Created = { readonly user: Account; readonly password: string | null };

const passwordBytes = 10;

/** 80 random bits as hexadecimal digits: easy to read out. */
const generatePassword = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(passwordBytes)), byte => byte.toString(16).padStart(2, '0')).join(
    '',
  );

export function CreateUser({ onCreated }: CreateProps) {
  const texts = useWords(adminWords).user;
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  const close = () => {
    setOpen(false);
    setCreated(null);
    if (created) onCreated(created.user);
  };
  return (
    <>
      <Button label={texts.create} onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={texts.createTitle} onClose={close}>
          {created ? <CreatedNote of={created} onClose={close} /> : <CreateForm onCreated={setCreated} />}
        </Dialog>
      )}
    </>
  );
}

function CreateForm({ onCreated }: { readonly onCreated: (created: Created) => void }) {
  const texts = useWords(adminWords).user;
  const { roles } = useTexts().me;
  const { call } = useBridge();
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [typed, setTyped] = useState('');
  const [role, setRole] = useState<Role>('user');
  const { run, isBusy, error } = useAction(async () => {
    const password = typed === '' ? generatePassword() : typed;
    const body = { username: username.trim(), email: email.trim(), password, role };
    const user = await call(createUser, { body });
    onCreated({ user, password: typed === '' ? password : null });
  });
  return (
    <Form onSend={run}>
      <p className="quiet">{texts.createText}</p>
      <Field label={texts.username} value={username} onText={setUsername} autoComplete="off" maxLength={32} required />
      <Field label={texts.email} type="email" value={email} onText={setEmail} autoComplete="off" required />
      <Field
        label={texts.password}
        hint={texts.passwordHint}
        type="password"
        value={typed}
        onText={setTyped}
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
      />
      <Segments label={texts.role} value={role} options={roles} onChoose={setRole} />
      <Problem error={error} />
      <Button label={texts.create} type="submit" disabled={isBusy} />
      <CommandLines lines={adminCommands.newUser(username.trim(), email.trim(), role)} />
    </Form>
  );
}

function CreatedNote({ of: { user, password }, onClose }: { readonly of: Created; readonly onClose: () => void }) {
  const texts = useWords(adminWords).user;
  return (
    <div className="form">
      <p role="status">{texts.created(user.username)}</p>
      {password !== null && (
        <>
          <p>{texts.passwordOnce}</p>
          <ul className="commands">
            <li>
              <code>{password}</code>
              <CopyButton text={password} label={texts.password} />
            </li>
          </ul>
        </>
      )}
      <div className="actions">
        <Button label={texts.openAccount} onClick={onClose} />
      </div>
    </div>
  );
}
