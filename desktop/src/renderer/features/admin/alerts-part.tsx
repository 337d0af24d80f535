// Integrity alerts: stored bytes that differ from their record, with the assigned administrator.

import {
  type AlertStatus,
  alertStatuses,
  type IntegrityAlert,
  listIntegrityAlerts,
} from '@recordproof/shared/api/integrity.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Segments } from '../../ui/form.tsx';
import { useEvents, useLoad } from '../../ui/hooks.ts';
import { EmptyState, FailedState, Loading } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { AlertState, CommandLines, Pager, Severity } from './admin-elements.tsx';
import { AlertPanel } from './alert-panel.tsx';
import { adminCommands } from './commands.ts';

const pageSize = 50;
type Shown = AlertStatus | 'all';

export function AlertsPart() {
  const { call } = useBridge();
  const [shown, setShown] = useState<Shown>('all');
  const [page, setPage] = useState(1);
  const [opened, setOpened] = useState<string | null>(null);
  const status = alertStatuses.find(one => one === shown);
  const { state, reload } = useLoad(`${shown} ${page}`, signal =>
    call(listIntegrityAlerts, { query: { page, size: pageSize, ...(status && { status }) }, signal }),
  );
  useEvents(['INTEGRITY_ALERT'], reload);
  const show = (next: Shown) => {
    setShown(next);
    setPage(1);
  };
  const alert = state.kind === 'ready' ? state.value.records.find(({ id }) => id === opened) : undefined;
  return (
    <div className={alert ? 'work with-panel' : 'work'}>
      <div className="listing">
        <AlertFilter shown={shown} onShow={show} />
        {state.kind === 'loading' && <Loading />}
        {state.kind === 'failed' && <FailedState error={state.error} again={reload} />}
        {state.kind === 'ready' && state.value.total === 0 && <NoAlerts />}
        {state.kind === 'ready' && (
          <div className={state.value.total > 0 ? 'scroll' : 'foot'}>
            <div className="report wide">
              {state.value.total > 0 && <AlertTable alerts={state.value.records} opened={opened} onOpen={setOpened} />}
              <Pager page={state.value} onTurn={setPage} />
              <CommandLines lines={adminCommands.alerts(status)} />
            </div>
          </div>
        )}
      </div>
      {alert && <AlertPanel key={alert.id} alert={alert} onClose={() => setOpened(null)} onChanged={reload} />}
    </div>
  );
}

function AlertFilter({ shown, onShow }: { readonly shown: Shown; readonly onShow: (shown: Shown) => void }) {
  const texts = useWords(adminWords);
  return (
    <div className="filters">
      <Segments
        label={texts.alert.status}
        value={shown}
        options={{ all: texts.all, ...texts.alert.statuses }}
        onChoose={onShow}
      />
    </div>
  );
}

function NoAlerts() {
  const texts = useWords(adminWords).alert;
  return <EmptyState icon="verify" title={texts.none} text={texts.noneText} />;
}

type Rows = {
  readonly alerts: readonly IntegrityAlert[];
  readonly opened: string | null;
  readonly onOpen: (id: string) => void;
};

function AlertTable({ alerts, opened, onOpen }: Rows) {
  const { alert: alertTexts, alerts: label } = useWords(adminWords);
  const language = useLanguage();
  return (
    <Table
      label={label}
      rows={alerts}
      keyOf={alert => alert.id}
      opened={opened}
      onOpen={alert => onOpen(alert.id)}
      columns={[
        { name: alertTexts.file, cell: alert => toShownName(alert.fileName) },
        { name: alertTexts.found, cell: alert => alertTexts.types[alert.alertType] },
        { name: alertTexts.severity, cell: alert => <Severity of={alert} />, isMinor: true },
        { name: alertTexts.status, cell: alert => <AlertState of={alert} /> },
        {
          name: alertTexts.raised,
          cell: alert => <span className="number">{formatTime(alert.createdAt, language)}</span>,
          isMinor: true,
        },
      ]}
    />
  );
}
