// Details of one account, and the actions of administrators. Each action is confirmed, and takes a reason.
import {
  type Account,
  type AccountStatus,
  endUserSessions,
  updateUserRole,
  updateUserStatus,
} from '@recordproof/shared/api/accounts.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import type { AppTexts } from '@recordproof/shared/words/app.ts';
import { useState } from 'react';
import { useAccount, useBridge, useLanguage, useTexts } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field, Segments } from '../../ui/form.tsx';
import { Panel } from '../../ui/panes.tsx';
import { CommandLines, Standing } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { DeleteUser } from './delete-user.tsx';
import { type AdminTexts, useAdminTexts } from './use-admin-texts.ts';
import { UserFactorsPart } from './user-factors.tsx';
import { UserQuotaPart } from './user-quota.tsx';

type UserProps = { readonly user: Account; readonly onClose: () => void; readonly onChanged: () => void };
type Change = { readonly kind: 'status' | 'sessions' } | { readonly kind: 'role'; readonly role: Role };

export function UserPanel({ user, onClose, onChanged }: UserProps) {
  const say = useAdminTexts().user;
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
      {user.externalId === externalId && <p className="note">{say.you}</p>}
      <section>
        <Segments
          label={say.role}
          value={user.role}
          options={roles}
          onChoose={role => setChange({ kind: 'role', role })}
        />
        <div className="actions">
          <button type="button" className={isActive ? 'danger' : 'plain'} onClick={() => setChange({ kind: 'status' })}>
            {isActive ? say.suspend : say.restore}
          </button>
          <button type="button" className="danger" onClick={() => setChange({ kind: 'sessions' })}>
            {say.endSessions}
          </button>
          {user.externalId !== externalId && <DeleteUser user={user} onDeleted={onChanged} />}
        </div>
        <p role="status" className="quiet small">
          {hasEnded && say.ended}
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
  const say = useAdminTexts().user;
  const language = useLanguage();
  return (
    <dl className="facts">
      <dt>{say.name}</dt>
      <dd>{user.username}</dd>
      <dt>{say.email}</dt>
      <dd>{user.email}</dd>
      <dt>{say.status}</dt>
      <dd>
        <Standing user={user} />
      </dd>
      <dt>{say.since}</dt>
      <dd>{formatTime(user.registerTime, language)}</dd>
      <dt>{say.id}</dt>
      <dd>
        <code>{user.externalId}</code>
      </dd>
    </dl>
  );
}

type ChangeDialogProps = {
  readonly user: Account;
  readonly change: Change;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function AskUser({ user, change, onDone, onClose }: ChangeDialogProps) {
  const say = useAdminTexts();
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const reason = typed.trim() === '' ? {} : { reason: typed.trim() };
  const { roles } = useTexts().me;
  const question = toQuestion(user, change, say.user, roles);
  const act = async () => {
    const params = { id: user.id };
    if (change.kind === 'sessions') await call(endUserSessions, { params });
    else if (change.kind === 'role') await call(updateUserRole, { params, body: { role: change.role, ...reason } });
    else await call(updateUserStatus, { params, body: { status: otherStatus(user), ...reason } });
    onDone();
  };
  return (
    <AskDialog {...question} act={act} onClose={onClose}>
      {change.kind !== 'sessions' && (
        <Field label={say.reason} hint={say.reasonHint} value={typed} onText={setTyped} maxLength={256} />
      )}
    </AskDialog>
  );
}

const otherStatus = ({ status }: Account): AccountStatus => (status === 'ACTIVE' ? 'SUSPENDED' : 'ACTIVE');

type Roles = AppTexts['me']['roles'];

function toQuestion({ username, status }: Account, change: Change, say: AdminTexts['user'], roles: Roles) {
  if (change.kind === 'sessions') return { title: say.endAsk(username), text: say.endText, yes: say.endSessions };
  if (change.kind === 'role')
    return { title: say.roleAsk(username, roles[change.role]), text: say.roleText, yes: say.roleYes };
  return status === 'ACTIVE'
    ? { title: say.suspendAsk(username), text: say.suspendText, yes: say.suspend }
    : { title: say.restoreAsk(username), text: say.restoreText, yes: say.restore };
}
