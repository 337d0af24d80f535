// Registration: by a mailed code or with an invitation, as the server allows.
import { type Profile, register } from '@recordproof/shared/api/auth.ts';
import {
  acceptInvitation,
  invitationCode,
  readInvitation,
  requestInvitedMailCode,
} from '@recordproof/shared/api/invitations.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { go, toTarget, useRoute } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Field, Form } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Loading } from '../../ui/states.tsx';
import { AuthFrame, BackToSignIn, useRegistration } from './auth-frame.tsx';
import { type Mailed, MailedCode, NewPassword, NewUsername, useRequestOf } from './mailed-code-forms.tsx';

type Made = { readonly onMade: () => void };

/** Signs in to the new account; `onMade` is called where the account exists and that failed. */
function useSignIn(onMade: () => void) {
  const { session } = useBridge();
  const target = toTarget(useRoute());
  return (username: string, password: string) =>
    session.signIn({ username, password, stay: true }).then(() => go(target), onMade);
}

/** Signs in; before that, `confirmation` shows the sign-in name, if it is another one than the chosen user name. */
function useJoined(onMade: () => void) {
  const texts = useTexts().auth;
  const signIn = useSignIn(onMade);
  const [joined, setJoined] = useState<{ readonly name: string; readonly enter: () => Promise<void> } | null>(null);
  const { run, isBusy } = useAction(async () => joined?.enter());
  const join = async ({ email, signInName: name }: Profile, password: string): Promise<void> => {
    const enter = () => signIn(email, password);
    if (name === undefined) await enter();
    else setJoined({ name, enter });
  };
  const confirmation = joined && (
    <Form onSend={run}>
      <p className="note" role="status">
        {texts.createdAs(joined.name)}
      </p>
      <Button label={texts.submit} type="submit" disabled={isBusy} />
    </Form>
  );
  return { join, confirmation };
}

export function Register({ onMade }: Made) {
  const texts = useTexts().auth;
  const invitation = useRoute().query.get('invitation');
  const { isLoading, registration } = useRegistration();
  if (isLoading) return <Loading />;
  const mode = registration?.mode ?? 'open';
  const lead = {
    open: texts.registerLead,
    domains: texts.registerDomains((registration?.domains ?? []).join(', ')),
    invite: texts.registerInvited,
    closed: texts.registerClosed,
  }[mode];
  return (
    <AuthFrame
      title={texts.registerTitle}
      lead={invitation !== null && mode !== 'closed' ? texts.registerInvited : lead}
    >
      {mode !== 'closed' && invitation !== null && <Invited key={invitation} invitation={invitation} onMade={onMade} />}
      {mode !== 'closed' && invitation === null && (
        <>
          {mode !== 'invite' && <ByCode onMade={onMade} />}
          <EnterInvitation />
        </>
      )}
      <BackToSignIn />
    </AuthFrame>
  );
}

function ByCode({ onMade }: Made) {
  const texts = useTexts().auth;
  const { call } = useBridge();
  const signIn = useSignIn(onMade);
  const [username, setUsername] = useState('');
  const make = async (mailed: Mailed) => {
    await call(register, { body: { ...mailed, username: username.trim() } });
    await signIn(username.trim(), mailed.password);
  };
  return (
    <MailedCode request={useRequestOf('register')} submit={texts.create} onSubmit={make}>
      <NewUsername value={username} onText={setUsername} />
    </MailedCode>
  );
}

function EnterInvitation() {
  const texts = useTexts().auth;
  const [typed, setTyped] = useState('');
  const next = toTarget(useRoute());
  return (
    <Form onSend={() => go('register', { invitation: typed.trim(), next })}>
      <Field label={texts.invitation} hint={texts.invitationHint} value={typed} onText={setTyped} required />
      <Button label={texts.useInvitation} type="submit" variant="plain" />
    </Form>
  );
}

type Accepting = Made & { readonly code: string };

function Invited({ invitation, onMade }: Made & { readonly invitation: string }) {
  const texts = useTexts().auth;
  const { call } = useBridge();
  const language = useLanguage();
  const { roles } = useTexts().me;
  const parsed = invitationCode.safeParse(invitation);
  const { state } = useLoad(invitation, signal =>
    parsed.success ? call(readInvitation, { body: { invitation: parsed.data }, signal }) : Promise.resolve(null),
  );
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed' || state.value === null)
    return (
      <>
        <p className="note" role="alert">
          {texts.invitationUnusable}
        </p>
        <EnterInvitation />
      </>
    );
  const { email, role, expiresAt } = state.value;
  const accepting = { code: parsed.data ?? '', onMade };
  return (
    <>
      <p className="note">{texts.invitedAs(email, roles[role], formatTime(expiresAt, language))}</p>
      {email === null ? <WithCode {...accepting} /> : <WithoutCode {...accepting} />}
    </>
  );
}

/** The mail with the invitation arrived at the address: no other code is needed. */
function WithoutCode({ code, onMade }: Accepting) {
  const texts = useTexts().auth;
  const { call } = useBridge();
  const { join, confirmation } = useJoined(onMade);
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(async () => {
    const user = await call(acceptInvitation, { body: { invitation: code, username: username.trim(), password } });
    await join(user, password);
  });
  if (confirmation) return confirmation;
  return (
    <ActionForm action={action} submit={texts.create}>
      <NewUsername value={username} onText={setUsername} />
      <NewPassword value={password} onText={setPassword} />
    </ActionForm>
  );
}

function WithCode({ code: invitation, onMade }: Accepting) {
  const texts = useTexts().auth;
  const { call } = useBridge();
  const { join, confirmation } = useJoined(onMade);
  const [username, setUsername] = useState('');
  const make = async (mailed: Mailed) => {
    const user = await call(acceptInvitation, { body: { invitation, ...mailed, username: username.trim() } });
    await join(user, mailed.password);
  };
  const request = (email: string) => call(requestInvitedMailCode, { body: { invitation, email } });
  if (confirmation) return confirmation;
  return (
    <MailedCode request={request} submit={texts.create} onSubmit={make}>
      <NewUsername value={username} onText={setUsername} />
    </MailedCode>
  );
}
