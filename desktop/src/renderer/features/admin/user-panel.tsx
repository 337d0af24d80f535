// Details of one account, and the actions of administrators. Each action is confirmed, and takes a reason.
import {
  type Account,
  type AccountStatus,
  deleteUser,
  endUserSessions,
  type FilesOfDeleted,
  updateUserRole,
  updateUserStatus,
} from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { AppTexts } from '@recordproof/shared/words/app.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useAccount, useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskButton, AskDialog } from '../../ui/dialog.tsx';
import { Segments } from '../../ui/form.tsx';
import { Facts, Panel } from '../../ui/panes.tsx';
import { CommandLines, Standing, useReason } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { UserFactorsPart } from './user-factors.tsx';
import { UserQuotaPart } from './user-quota.tsx';

type UserProps = { readonly user: Account; readonly onClose: () => void; readonly onChanged: () => void };
type Change = { readonly kind: 'status' | 'sessions' } | { readonly kind: 'role'; readonly role: Role };

export function UserPanel({ user, onClose, onChanged }: UserProps) {
  const texts = useWords(adminWords).user;
  const { roles } = useTexts().me;
  const { externalId } = useAccount();
  const [change, setChange] = useState<Change | null>(null);
  const [hasEnded, setEnded] = useState(false);
  const isActive = user.status === 'ACTIVE';
  const done = () => {
    setEnded(change?.kind === 'sessions');
    onChanged();
  };
  return (
    <Panel title={user.nickname ?? user.username} onClose={onClose}>
      <UserFacts user={user} />
      {user.externalId === externalId && <p className="note">{texts.you}</p>}
      <section>
        <Segments
          label={texts.role}
          value={user.role}
          options={roles}
          onChoose={role => setChange({ kind: 'role', role })}
        />
        <div className="actions">
          <Button
            label={isActive ? texts.suspend : texts.restore}
            variant={isActive ? 'danger' : 'plain'}
            onClick={() => setChange({ kind: 'status' })}
          />
          <Button label={texts.endSessions} variant="danger" onClick={() => setChange({ kind: 'sessions' })} />
          {user.externalId !== externalId && <DeleteUser user={user} onDeleted={onChanged} />}
        </div>
        <p role="status" className="quiet small">
          {hasEnded && texts.ended}
        </p>
      </section>
      <UserFactorsPart user={user} onReset={onChanged} />
      <UserQuotaPart userId={user.id} />
      <CommandLines lines={adminCommands.user(user.username, isActive)} />
      {change && <AskUser user={user} change={change} onDone={done} onClose={() => setChange(null)} />}
    </Panel>
  );
}

function UserFacts({ user }: { readonly user: Account }) {
  const texts = useWords(adminWords).user;
  const language = useLanguage();
  return (
    <Facts
      of={{
        [texts.name]: user.username,
        [texts.email]: user.email,
        [texts.status]: <Standing user={user} />,
        [texts.since]: formatTime(user.registerTime, language),
        [texts.id]: <code>{user.externalId}</code>,
      }}
    />
  );
}

type ChangeDialogProps = {
  readonly user: Account;
  readonly change: Change;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function AskUser({ user, change, onDone, onClose }: ChangeDialogProps) {
  const texts = useWords(adminWords);
  const { call } = useBridge();
  const { reason, field } = useReason();
  const { roles } = useTexts().me;
  const question = toQuestion(user, change, texts.user, roles);
  const act = async () => {
    const params = { id: user.id };
    if (change.kind === 'sessions') await call(endUserSessions, { params });
    else if (change.kind === 'role') await call(updateUserRole, { params, body: { role: change.role, ...reason } });
    else await call(updateUserStatus, { params, body: { status: otherStatus(user), ...reason } });
    onDone();
  };
  return (
    <AskDialog {...question} act={act} onClose={onClose}>
      {change.kind !== 'sessions' && field}
    </AskDialog>
  );
}

const otherStatus = ({ status }: Account): AccountStatus => (status === 'ACTIVE' ? 'SUSPENDED' : 'ACTIVE');

type Roles = AppTexts['me']['roles'];

function toQuestion(
  { username, status }: Account,
  change: Change,
  texts: (typeof adminWords)['en']['user'],
  roles: Roles,
) {
  if (change.kind === 'sessions') return { title: texts.endAsk(username), text: texts.endText, yes: texts.endSessions };
  if (change.kind === 'role')
    return { title: texts.roleAsk(username, roles[change.role]), text: texts.roleText, yes: texts.roleYes };
  return status === 'ACTIVE'
    ? { title: texts.suspendAsk(username), text: texts.suspendText, yes: texts.suspend }
    : { title: texts.restoreAsk(username), text: texts.restoreText, yes: texts.restore };
}

type DeleteProps = { readonly user: Account; readonly onDeleted: () => void };

/** Deletes an account permanently; the confirmation says what happens to its files. */
function DeleteUser({ user: { id, username }, onDeleted }: DeleteProps) {
  const texts = useWords(adminWords).user;
  const { call } = useBridge();
  const { reason, field } = useReason();
  const [files, setFiles] = useState<FilesOfDeleted>('keep');
  const act = async () => {
    await call(deleteUser, { params: { id }, query: { files, ...reason } });
    onDeleted();
  };
  return (
    <AskButton label={texts.remove} title={texts.removeAsk(username)} text={texts.removeText} act={act}>
      <Segments label={texts.removeFiles} value={files} options={texts.removeFilesOf} onChoose={setFiles} />
      {field}
    </AskButton>
  );
}
