// Tenants of the installation: create, list, suspend, reactivate, delete; and maintenance mode.

import { createTenant, listTenants, type Tenant, type TenantStatus } from '@recordproof/shared/api/tenants.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatSize } from '../../format.ts';
import { CopyNote } from '../../ui/buttons.tsx';
import { Field, Form } from '../../ui/form.tsx';
import { useAction, useLoad, usePolling } from '../../ui/hooks.ts';
import { FailedState, Loading, Problem } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { CommandLines, Pager } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { MaintenanceCard } from './maintenance-card.tsx';
import { type TenantAsk, TenantButtons, TenantDialog } from './tenant-actions.tsx';

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
        {state.kind === 'loading' && <Loading />}
        {state.kind === 'failed' && <FailedState error={state.error} again={reload} />}
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
  const { run, isBusy, error } = useAction(async () => {
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
      <Form onSend={run}>
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
        <Problem error={error} />
        <button type="submit" disabled={isBusy}>
          {texts.create}
        </button>
      </Form>
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
      keyOf={row => row.id}
      columns={[
        { name: texts.tenant.column, cell: row => row.name },
        {
          name: texts.tenant.status,
          cell: row => <span className={`chip ${tones[row.status]}`}>{texts.tenant.statuses[row.status]}</span>,
        },
        {
          name: texts.tenant.users,
          cell: row => <span className="number">{formatNumber(row.users, language)}</span>,
          isMinor: true,
        },
        {
          name: texts.tenant.files,
          cell: row => <span className="number">{formatNumber(row.files, language)}</span>,
          isMinor: true,
        },
        {
          name: texts.tenant.size,
          cell: row => <span className="number">{formatSize(row.bytes)}</span>,
          isMinor: true,
        },
        { name: texts.tenant.actions, cell: row => <TenantButtons tenant={row} onAsk={onAsk} /> },
      ]}
    />
  );
}
