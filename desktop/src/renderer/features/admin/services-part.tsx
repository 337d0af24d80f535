// Service accounts of the tenant: a list, a form for a new one, and the API tokens and trust rules of the open one.
import { type Account, createServiceAccount, listUsers } from '@recordproof/shared/api/accounts.ts';
import { createServiceToken, listTokensOfUser, revokeTokenOfUser } from '@recordproof/shared/api/api-tokens.ts';
import type { Role } from '@recordproof/shared/api/auth.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { serviceWords } from '@recordproof/shared/words/app-services.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { ActionForm, Field, Segments } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { type OpenRows, Table } from '../../ui/table.tsx';
import { Tokens } from '../tokens/tokens-card.tsx';
import { CommandLines, Pager } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { TrustRules } from './trust-rules.tsx';

const pageSize = 50;

export function ServicesPart() {
  const { call } = useBridge();
  const texts = useWords(serviceWords);
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<Account | null>(null);
  const { state, reload } = useLoad(String(page), signal =>
    call(listUsers, {
      query: { kind: 'service', page, size: pageSize },
      signal,
    }),
  );
  const open = (account: Account) => {
    setOpened(account);
    reload();
  };
  return (
    <div className="scroll">
      <div className="report wide">
        <NewAccount onCreated={open} />
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && state.value.total === 0 && (
          <EmptyState icon="account" title={texts.none} text={texts.noneText} />
        )}
        {state.kind === 'ready' && state.value.total > 0 && (
          <>
            <Accounts rows={state.value.records} opened={opened?.id ?? null} onOpen={setOpened} />
            <Pager page={state.value} onTurn={setPage} />
          </>
        )}
        {opened && <ServiceAccount key={opened.id} account={opened} />}
        <CommandLines lines={adminCommands.services()} />
      </div>
    </div>
  );
}

function NewAccount({ onCreated }: { readonly onCreated: (account: Account) => void }) {
  const texts = useWords(serviceWords);
  const { user } = useWords(adminWords);
  const { roles } = useTexts().me;
  const { call } = useBridge();
  const [username, setUsername] = useState('');
  const [role, setRole] = useState<Role>('user');
  const action = useAction(async () => {
    const account = await call(createServiceAccount, { body: { username: username.trim(), role } });
    setUsername('');
    onCreated(account);
  });
  return (
    <section className="card form">
      <h3>{texts.newAccount}</h3>
      <p className="quiet">{texts.text}</p>
      <ActionForm action={action} submit={texts.create}>
        <Field label={texts.name} value={username} onText={setUsername} autoComplete="off" maxLength={32} required />
        <Segments label={user.role} value={role} options={roles} onChoose={setRole} />
      </ActionForm>
    </section>
  );
}

function Accounts(table: OpenRows<Account>) {
  const texts = useWords(serviceWords);
  const { user } = useWords(adminWords);
  const { roles } = useTexts().me;
  return (
    <Table
      label={texts.title}
      {...table}
      columns={[
        { name: texts.name, cell: row => row.username },
        { name: user.role, cell: row => roles[row.role] },
        {
          name: user.status,
          cell: row => (
            <span className={`chip ${row.status === 'ACTIVE' ? 'good' : 'bad'}`}>{texts.states[row.status]}</span>
          ),
        },
      ]}
    />
  );
}

function ServiceAccount({ account: { id, username, externalId } }: { readonly account: Account }) {
  const texts = useWords(serviceWords);
  const { call } = useBridge();
  const params = { id };
  return (
    <>
      <section className="card form">
        <h3>{username}</h3>
        <p className="quiet">
          {texts.externalId} <code>{externalId}</code>
        </p>
      </section>
      <Tokens
        name={`tokens of ${id}`}
        text={texts.tokensText}
        list={signal => call(listTokensOfUser, { params, signal })}
        create={body => call(createServiceToken, { params, body })}
        revoke={tokenId => call(revokeTokenOfUser, { params: { id, tokenId } })}
      />
      <TrustRules accountId={id} />
    </>
  );
}
