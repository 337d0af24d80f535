// Accounts of the tenant.
import { type Account, listUsers } from '@recordproof/shared/api/accounts.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useTexts, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { SearchField } from '../../ui/form.tsx';
import { useDebounced, useLoad } from '../../ui/hooks.ts';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { type OpenRows, Table } from '../../ui/table.tsx';
import { CommandLines, Pager, Standing } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { CreateUser } from './create-user.tsx';
import { FactorRequirementButton } from './factor-requirement.tsx';
import { UserPanel } from './user-panel.tsx';

const pageSize = 50;

export function UsersPart() {
  const { user: texts } = useWords(adminWords);
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<string | null>(null);
  const keyword = useDebounced(typed.trim());
  const { state, reload } = useLoad(`${keyword} ${page}`, signal =>
    call(listUsers, {
      query: { page, size: pageSize, sort: 'username,asc', ...(keyword !== '' && { keyword }) },
      signal,
    }),
  );
  const search = (text: string) => {
    setTyped(text);
    setPage(1);
  };
  const showCreated = ({ id, username }: Account) => {
    search(username);
    setOpened(id);
    reload();
  };
  const user = state.kind === 'ready' ? state.value.records.find(({ id }) => id === opened) : undefined;
  return (
    <div className={user ? 'work with-panel' : 'work'}>
      <div className="listing">
        <UserSearch typed={typed} onType={search} onCreated={showCreated} />
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && state.value.total === 0 && (
          <EmptyState icon="account" title={texts.none} text={texts.noneText} />
        )}
        {state.kind === 'ready' && state.value.total > 0 && (
          <div className="scroll">
            <div className="report wide">
              <UserTable rows={state.value.records} opened={opened} onOpen={({ id }) => setOpened(id)} />
              <Pager page={state.value} onTurn={setPage} />
              <div className="actions">
                <FactorRequirementButton />
              </div>
              <CommandLines lines={adminCommands.users(keyword)} />
            </div>
          </div>
        )}
      </div>
      {user && <UserPanel key={user.id} user={user} onClose={() => setOpened(null)} onChanged={reload} />}
    </div>
  );
}

type SearchProps = {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onCreated: (user: Account) => void;
};

function UserSearch({ typed, onType, onCreated }: SearchProps) {
  const texts = useWords(adminWords).user;
  return (
    <div className="filters">
      <SearchField label={texts.search} placeholder={texts.searchHint} value={typed} onText={onType} maxLength={100} />
      <CreateUser onCreated={onCreated} />
    </div>
  );
}

function UserTable(table: OpenRows<Account>) {
  const texts = useWords(adminWords);
  const { roles } = useTexts().me;
  const language = useLanguage();
  return (
    <Table
      label={texts.users}
      {...table}
      columns={[
        { name: texts.user.name, cell: user => <UserName user={user} /> },
        { name: texts.user.email, cell: user => user.email, isMinor: true },
        {
          name: texts.user.role,
          cell: user => (user.kind === 'service' ? texts.user.service(roles[user.role]) : roles[user.role]),
        },
        { name: texts.user.status, cell: user => <Standing user={user} /> },
        {
          name: texts.user.since,
          cell: user => formatTime(user.registerTime, language),
          isMinor: true,
          isNumber: true,
        },
      ]}
    />
  );
}

const UserName = ({ user: { username, nickname } }: { readonly user: Account }) => (
  <>
    {username} {nickname !== null && <span className="quiet small">{nickname}</span>}
  </>
);
