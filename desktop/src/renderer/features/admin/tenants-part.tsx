// Tenants of the installation: create, list, suspend, reactivate, delete; and maintenance mode.
import {
  createTenant,
  deleteTenant,
  listTenants,
  type Tenant,
  type TenantStatus,
  updateTenantStatus,
} from '@recordproof/shared/api/tenants.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatSize } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyNote } from '../../ui/buttons.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction, useLoad, usePolling } from '../../ui/hooks.ts';
import { NotLoaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { CommandLines, Pager, useReason } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { MaintenanceCard } from './maintenance-card.tsx';

const pageSize = 50;
const pollEveryMs = 5000;
const tones: Readonly<Record<TenantStatus, string>> = {
  ACTIVE: 'good',
  SUSPENDED: 'bad',
  DELETING: 'open',
  DELETED: '',
};

export function TenantsPart() {
  const { call } = useBridge();
  const [page, setPage] = useState(1);
  const [ask, setAsk] = useState<TenantAsk | null>(null);
  const { state, reload } = useLoad(String(page), signal =>
    call(listTenants, { query: { page, size: pageSize, sort: 'name,asc' }, signal }),
  );
  const isDeleting = state.kind === 'ready' && state.value.records.some(({ status }) => status === 'DELETING');
  usePolling(isDeleting ? pollEveryMs : null, reload);
  return (
    <div className="scroll">
      <div className="report wide">
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && (
          <>
            <Tenants rows={state.value.records} onAsk={setAsk} />
            <Pager page={state.value} onTurn={setPage} />
          </>
        )}
        <Create onCreated={reload} />
        <MaintenanceCard />
        <CommandLines lines={adminCommands.tenants()} />
      </div>
      {ask && <TenantDialog ask={ask} onChanged={reload} onClose={() => setAsk(null)} />}
    </div>
  );
}

type Created = { readonly name: string; readonly email: string | null; readonly link: string | null };

function Create({ onCreated }: { readonly onCreated: () => void }) {
  const texts = useWords(adminWords).tenant;
  const { call } = useBridge();
  const [name, setName] = useState('');
  const [typed, setTyped] = useState('');
  const [created, setCreated] = useState<Created | null>(null);
  const action = useAction(async () => {
    const email = typed.trim();
    const body = { name: name.trim(), ...(email !== '' && { administratorEmail: email }) };
    const { tenant, invitation } = await call(createTenant, { body });
    setCreated({ name: tenant.name, email: invitation?.email ?? null, link: invitation?.link ?? null });
    setName('');
    setTyped('');
    onCreated();
  });
  return (
    <section className="card form">
      <h3>{texts.createTitle}</h3>
      <ActionForm action={action} submit={texts.create}>
        <Field
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onText={setName}
          autoComplete="off"
          autoCapitalize="none"
          required
        />
        <Field
          label={texts.email}
          hint={texts.emailHint}
          type="email"
          value={typed}
          onText={setTyped}
          autoComplete="off"
        />
      </ActionForm>
      <div role="status">{created && <CreatedNote of={created} />}</div>
    </section>
  );
}

function CreatedNote({ of: { name, email, link } }: { readonly of: Created }) {
  const texts = useWords(adminWords).tenant;
  if (link === null) return <p className="note">{email === null ? texts.closed(name) : texts.mailed(name, email)}</p>;
  return <CopyNote value={link} text={texts.linkText(name)} label={texts.link} />;
}

type Rows = { readonly rows: readonly Tenant[]; readonly onAsk: (ask: TenantAsk) => void };

function Tenants({ rows, onAsk }: Rows) {
  const texts = useWords(adminWords);
  const language = useLanguage();
  return (
    <Table
      label={texts.tenants}
      rows={rows}
      columns={[
        { name: texts.tenant.column, cell: row => row.name },
        {
          name: texts.tenant.status,
          cell: row => <span className={`chip ${tones[row.status]}`}>{texts.tenant.statuses[row.status]}</span>,
        },
        { name: texts.tenant.users, cell: row => formatNumber(row.users, language), isMinor: true, isNumber: true },
        { name: texts.tenant.files, cell: row => formatNumber(row.files, language), isMinor: true, isNumber: true },
        { name: texts.tenant.size, cell: row => formatSize(row.bytes), isMinor: true, isNumber: true },
        { name: texts.tenant.actions, cell: row => <TenantButtons tenant={row} onAsk={onAsk} /> },
      ]}
    />
  );
}

type Act = 'suspend' | 'reactivate' | 'remove';
type TenantAsk = { readonly act: Act; readonly tenant: Tenant };

type ButtonProps = { readonly tenant: Tenant; readonly onAsk: (ask: TenantAsk) => void };

function TenantButtons({ tenant, onAsk }: ButtonProps) {
  const texts = useWords(adminWords).tenant;
  const { isFirst, status } = tenant;
  if (isFirst || status === 'DELETING' || status === 'DELETED') return null;
  const acts: readonly Act[] = [status === 'ACTIVE' ? 'suspend' : 'reactivate', 'remove'];
  return (
    <div className="actions in-row">
      {acts.map(act => (
        <Button key={act} label={texts[act]} variant="plain" onClick={() => onAsk({ act, tenant })} />
      ))}
    </div>
  );
}

type DialogProps = { readonly ask: TenantAsk; readonly onChanged: () => void; readonly onClose: () => void };

const TenantDialog = ({ ask: { act, tenant }, ...more }: DialogProps) =>
  act === 'remove' ? <Remove tenant={tenant} {...more} /> : <ChangeStatus tenant={tenant} to={act} {...more} />;

type AskProps = { readonly tenant: Tenant; readonly onChanged: () => void; readonly onClose: () => void };

function ChangeStatus({ tenant, to, onChanged, onClose }: AskProps & { readonly to: 'suspend' | 'reactivate' }) {
  const texts = useWords(adminWords).tenant;
  const { call } = useBridge();
  const { reason, field } = useReason();
  const question =
    to === 'suspend'
      ? { title: texts.suspendAsk(tenant.name), text: texts.suspendText }
      : { title: texts.reactivateAsk(tenant.name), text: texts.reactivateText };
  const act = async () => {
    const status = to === 'suspend' ? ('SUSPENDED' as const) : ('ACTIVE' as const);
    await call(updateTenantStatus, { params: { id: tenant.id }, body: { status, ...reason } });
    onChanged();
  };
  return (
    <AskDialog {...question} yes={texts[to]} act={act} onClose={onClose}>
      {field}
    </AskDialog>
  );
}

function Remove({ tenant, onChanged, onClose }: AskProps) {
  const texts = useWords(adminWords).tenant;
  const { call } = useBridge();
  const [name, setName] = useState('');
  const act = async () => {
    await call(deleteTenant, { params: { id: tenant.id }, query: { name: name.trim() } });
    onChanged();
  };
  return (
    <AskDialog
      title={texts.removeAsk(tenant.name)}
      text={texts.removeText}
      yes={texts.remove}
      act={act}
      onClose={onClose}
    >
      <Field label={texts.confirm} value={name} onText={setName} autoComplete="off" autoCapitalize="none" />
    </AskDialog>
  );
}
