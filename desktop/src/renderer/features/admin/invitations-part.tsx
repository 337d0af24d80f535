// Invitations of the tenant: create, list, revoke.
import type { Role } from '@recordproof/shared/api/auth.ts';
import {
  createInvitation,
  type Invitation,
  type InvitationState,
  listInvitations,
  revokeInvitation,
} from '@recordproof/shared/api/invitations.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyNote } from '../../ui/buttons.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { ActionForm, Field, Segments } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { CommandLines, Pager } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

const pageSize = 50;
const tones: Readonly<Record<InvitationState, string>> = {
  PENDING: 'open',
  ACCEPTED: 'good',
  REVOKED: 'bad',
  EXPIRED: '',
};

export function InvitationsPart() {
  const { call } = useBridge();
  const texts = useWords(adminWords).invite;
  const [page, setPage] = useState(1);
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const { state, reload } = useLoad(String(page), signal =>
    call(listInvitations, { query: { page, size: pageSize }, signal }),
  );
  return (
    <div className="scroll">
      <div className="report wide">
        <Invite onCreated={reload} />
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && state.value.total === 0 && (
          <EmptyState icon="account" title={texts.none} text={texts.noneText} />
        )}
        {state.kind === 'ready' && state.value.total > 0 && (
          <>
            <Invitations rows={state.value.records} onRevoke={setRevoking} />
            <Pager page={state.value} onTurn={setPage} />
          </>
        )}
        <CommandLines lines={adminCommands.invitations()} />
      </div>
      {revoking && (
        <AskDialog
          title={texts.revokeAsk}
          text={texts.revokeText}
          yes={texts.revoke}
          act={async () => {
            await call(revokeInvitation, { params: { id: revoking.id } });
            reload();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </div>
  );
}

type Created = { readonly email: string | null; readonly link: string | null; readonly isInFile: boolean };
const hoursPerDay = 24;

function Invite({ onCreated }: { readonly onCreated: () => void }) {
  const texts = useWords(adminWords);
  const { roles } = useTexts().me;
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const [days, setDays] = useState('7');
  const [role, setRole] = useState<Role>('user');
  const [created, setCreated] = useState<Created | null>(null);
  const action = useAction(async () => {
    const email = typed.trim();
    const body = { role, expiresInHours: Number(days) * hoursPerDay, ...(email !== '' && { email }) };
    const { invitation, link, delivery } = await call(createInvitation, { body });
    setCreated({ email: invitation.email, link, isInFile: delivery === 'file' });
    setTyped('');
    onCreated();
  });
  return (
    <section className="card form">
      <h3>{texts.invite.createTitle}</h3>
      <ActionForm action={action} submit={texts.invite.create}>
        <Field
          label={texts.invite.email}
          hint={texts.invite.emailHint}
          type="email"
          value={typed}
          onText={setTyped}
          autoComplete="off"
        />
        <Field label={texts.invite.days} type="number" min={1} max={365} value={days} onText={setDays} required />
        <Segments label={texts.user.role} value={role} options={roles} onChoose={setRole} />
      </ActionForm>
      <div role="status">{created && <CreatedNote of={created} />}</div>
    </section>
  );
}

function CreatedNote({ of: { email, link, isInFile } }: { readonly of: Created }) {
  const texts = useWords(adminWords).invite;
  if (link === null)
    return (
      <p className="note">
        {texts.mailed(email ?? '')} {isInFile && texts.inFile}
      </p>
    );
  return <CopyNote value={link} text={texts.linkText} label={texts.link} />;
}

type Rows = { readonly rows: readonly Invitation[]; readonly onRevoke: (invitation: Invitation) => void };

function Invitations({ rows, onRevoke }: Rows) {
  const texts = useWords(adminWords);
  const { roles } = useTexts().me;
  const language = useLanguage();
  return (
    <Table
      label={texts.invitations}
      rows={rows}
      columns={[
        { name: texts.invite.for, cell: row => row.email ?? texts.invite.byLink },
        { name: texts.user.role, cell: row => roles[row.role] },
        {
          name: texts.user.status,
          cell: row => <span className={`chip ${tones[row.state]}`}>{texts.invite.states[row.state]}</span>,
        },
        { name: texts.invite.account, cell: row => row.acceptedBy ?? '', isMinor: true },
        { name: texts.invite.expires, cell: row => formatTime(row.expiresAt, language), isMinor: true, isNumber: true },
        {
          name: texts.invite.revoke,
          cell: row =>
            row.state === 'PENDING' && (
              <Button label={texts.invite.revoke} variant="plain" onClick={() => onRevoke(row)} />
            ),
        },
      ]}
    />
  );
}
