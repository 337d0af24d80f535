// Audit log: today's figures, anomalies, filter and entries; the open one with its position in the hash chain.
import { type AuditAnomalies, checkAnomalies, getAuditOverview } from '@recordproof/shared/api/audit-figures.ts';
import {
  type AuditRow,
  getAuditLog,
  type LinkedAuditRow,
  listAuditLogs,
} from '@recordproof/shared/api/audit-review.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatNumber, formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, Form } from '../../ui/form.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { Facts, Panel } from '../../ui/panes.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { type OpenRows, Table } from '../../ui/table.tsx';
import { CommandLines, Figures, Outcome, Pager } from './admin-elements.tsx';
import { type AuditSearch, adminCommands } from './commands.ts';

const pageSize = 50;
const everything: AuditSearch = { username: '', module: '', operation: '', rejected: false };

/** Empty fields do not filter. */
const toQuery = ({ username, module, operation, rejected }: AuditSearch) => ({
  ...(username !== '' && { username }),
  ...(module !== '' && { module }),
  ...(operation !== '' && { operationType: operation }),
  ...(rejected && { status: 1 as const }),
});

export function AuditPart() {
  const { log: texts } = useWords(adminWords);
  const { call } = useBridge();
  const [search, setSearch] = useState(everything);
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<string | null>(null);
  const { state, reload } = useLoad(`${JSON.stringify(search)} ${page}`, signal =>
    call(listAuditLogs, { query: { page, size: pageSize, ...toQuery(search) }, signal }),
  );
  const find = (next: AuditSearch) => {
    setSearch(next);
    setPage(1);
    reload();
  };
  return (
    <div className={opened === null ? 'work' : 'work with-panel'}>
      <div className="listing">
        <AuditFilter onFind={find} />
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && (
          <div className="scroll">
            <div className="report wide">
              <Overview />
              <Anomalies />
              {state.value.total === 0 && <EmptyState icon="search" title={texts.none} text={texts.noneText} />}
              {state.value.total > 0 && (
                <Rows rows={state.value.records} opened={opened} onOpen={({ id }) => setOpened(id)} />
              )}
              <Pager page={state.value} onTurn={setPage} />
              <CommandLines lines={adminCommands.audit(search)} />
            </div>
          </div>
        )}
      </div>
      {opened !== null && <AuditPanel key={opened} id={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

function Overview() {
  const { log: logTexts, state: stateTexts } = useWords(adminWords);
  const language = useLanguage();
  const { call } = useBridge();
  const { state } = useLoad('overview', signal => call(getAuditOverview, { signal }));
  if (state.kind !== 'ready') return null;
  const { todayOperations, todayErrorOperations, todaySensitiveOperations, todayActiveUsers, logRetentionDays } =
    state.value;
  return (
    <Figures
      of={{
        [logTexts.today]: formatNumber(todayOperations, language),
        [logTexts.refused]: formatNumber(todayErrorOperations, language),
        [logTexts.sensitive]: formatNumber(todaySensitiveOperations, language),
        [logTexts.people]: formatNumber(todayActiveUsers, language),
        [logTexts.kept]: stateTexts.days(logRetentionDays),
      }}
    />
  );
}

function Rows(table: OpenRows<AuditRow>) {
  const { log: logTexts, audit } = useWords(adminWords);
  const language = useLanguage();
  return (
    <Table
      label={audit}
      {...table}
      columns={[
        { name: logTexts.what, cell: row => `${row.module} ${row.operationType}` },
        { name: logTexts.who, cell: row => row.username ?? <span className="quiet">{logTexts.anonymous}</span> },
        { name: logTexts.outcome, cell: row => <Outcome of={row} /> },
        { name: logTexts.address, cell: row => row.requestIp, isMinor: true, isNumber: true },
        { name: logTexts.when, cell: row => formatTime(row.operationTime, language), isMinor: true, isNumber: true },
      ]}
    />
  );
}

function Anomalies() {
  const { log: texts } = useWords(adminWords);
  const { call } = useBridge();
  const { state } = useLoad('anomalies', signal => call(checkAnomalies, { signal }));
  const lines = useLines(state.kind === 'ready' ? state.value : null);
  if (lines.length === 0) return null;
  return (
    <section>
      <h3>{texts.unusual}</h3>
      <ul className="note">
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

function useLines(found: AuditAnomalies | null): string[] {
  const { log: texts } = useWords(adminWords);
  const language = useLanguage();
  if (!found?.hasAnomalies) return [];
  const { highFrequencyUsers, failedLoginUsers, errorRatePercent, thresholds } = found.anomalyDetails;
  const count = (value: number) => formatNumber(value, language);
  return [
    ...highFrequencyUsers.map(one => texts.busy(one.username, count(one.operationCount), one.requestIp)),
    ...failedLoginUsers.map(one => texts.logins(one.username, count(one.failedCount))),
    ...(errorRatePercent >= thresholds.errorRatePercent ? [texts.refusals(Math.round(errorRatePercent))] : []),
  ];
}

function AuditFilter({ onFind }: { readonly onFind: (search: AuditSearch) => void }) {
  const { log: texts } = useWords(adminWords);
  const [username, setUsername] = useState('');
  const [module, setModule] = useState('');
  const [operation, setOperation] = useState('');
  const [rejected, setRejected] = useState(false);
  const find = () =>
    onFind({ username: username.trim(), module: module.trim(), operation: operation.trim(), rejected });
  return (
    <Form className="filters" onSend={find}>
      <Field label={texts.username} value={username} onText={setUsername} maxLength={64} />
      <Field label={texts.module} value={module} onText={setModule} maxLength={64} />
      <Field label={texts.operation} value={operation} onText={setOperation} maxLength={64} />
      <Checkbox label={texts.onlyRefused} checked={rejected} onCheck={setRejected} />
      <Button label={texts.find} type="submit" variant="plain" />
    </Form>
  );
}

function AuditPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { call } = useBridge();
  const { state, reload } = useLoad(id, signal => call(getAuditLog, { params: { id }, signal }));
  const title = state.kind === 'ready' ? `${state.value.module} ${state.value.operationType}` : id;
  return (
    <Panel title={title} onClose={onClose}>
      <NotLoaded state={state} again={reload} />
      {state.kind === 'ready' && <RowFacts row={state.value} />}
      <CommandLines lines={adminCommands.auditRow(id)} />
    </Panel>
  );
}

function RowFacts({ row }: { readonly row: LinkedAuditRow }) {
  const { log: texts } = useWords(adminWords);
  const language = useLanguage();
  const number = (value: number, unit = '') => <span className="number">{formatNumber(value, language) + unit}</span>;
  return (
    <>
      <Facts
        of={{
          [texts.what]: row.description,
          [texts.who]: row.username ?? texts.anonymous,
          [texts.outcome]: <Outcome of={row} />,
          [texts.error]: row.errorMsg,
          [texts.repeated]: row.repeated > 0 && number(row.repeated),
          [texts.when]: formatTime(row.operationTime, language),
          [texts.address]: row.requestIp,
          [texts.took]: number(row.executionTime, ' ms'),
          [texts.request]: <code>{`${row.requestMethod} ${row.requestUrl}`}</code>,
        }}
      />
      <section>
        <h3>{texts.parameters}</h3>
        <pre className="evidence">{row.requestParam}</pre>
      </section>
      <section>
        <Facts
          of={{
            [texts.position]: number(row.position),
            [texts.hash]: <code>{row.hash}</code>,
            [texts.previous]: <code>{row.previousHash}</code>,
          }}
        />
      </section>
    </>
  );
}
