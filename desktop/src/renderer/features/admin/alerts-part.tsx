// Integrity alerts: stored bytes that differ from their record, and the actions on the open one.
import {
  type AlertStatus,
  acknowledgeIntegrityAlert,
  alertStatuses,
  type IntegrityAlert,
  listIntegrityAlerts,
  resolveIntegrityAlert,
} from '@recordproof/shared/api/integrity.ts';
import { toShownName } from '@recordproof/shared/shown-name.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskButton } from '../../ui/dialog.tsx';
import { Field, Segments } from '../../ui/form.tsx';
import { useAction, useEvents, useLoad } from '../../ui/hooks.ts';
import { Facts, Panel } from '../../ui/panes.tsx';
import { EmptyState, NotLoaded, Problem } from '../../ui/states.tsx';
import { type OpenRows, Table } from '../../ui/table.tsx';
import { AlertState, CommandLines, Pager, Severity } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

const pageSize = 50;
type Shown = AlertStatus | 'all';

export function AlertsPart() {
  const { alert: texts } = useWords(adminWords);
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
        <NotLoaded state={state} again={reload} />
        {state.kind === 'ready' && state.value.total === 0 && (
          <EmptyState icon="verify" title={texts.none} text={texts.noneText} />
        )}
        {state.kind === 'ready' && (
          <div className={state.value.total > 0 ? 'scroll' : 'foot'}>
            <div className="report wide">
              {state.value.total > 0 && (
                <AlertTable rows={state.value.records} opened={opened} onOpen={({ id }) => setOpened(id)} />
              )}
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

function AlertTable(table: OpenRows<IntegrityAlert>) {
  const { alert: alertTexts, alerts: label } = useWords(adminWords);
  const language = useLanguage();
  return (
    <Table
      label={label}
      {...table}
      columns={[
        { name: alertTexts.file, cell: alert => toShownName(alert.fileName) },
        { name: alertTexts.found, cell: alert => alertTexts.types[alert.alertType] },
        { name: alertTexts.severity, cell: alert => <Severity of={alert} />, isMinor: true },
        { name: alertTexts.status, cell: alert => <AlertState of={alert} /> },
        {
          name: alertTexts.raised,
          cell: alert => formatTime(alert.createdAt, language),
          isMinor: true,
          isNumber: true,
        },
      ]}
    />
  );
}

type AlertProps = { readonly alert: IntegrityAlert; readonly onChanged: () => void };

function AlertPanel({ alert, onChanged, onClose }: AlertProps & { readonly onClose: () => void }) {
  const { alert: texts } = useWords(adminWords);
  return (
    <Panel title={alert.fileName} onClose={onClose}>
      {alert.status !== 'RESOLVED' && <AlertActions alert={alert} onChanged={onChanged} />}
      <section>
        <AlertFacts alert={alert} />
      </section>
      <section>
        <h3>{texts.todo}</h3>
        <p className="small">{alert.repairHint}</p>
      </section>
      <section>
        <h3>{texts.evidence}</h3>
        <pre className="evidence">{JSON.stringify(alert.evidence, null, 2)}</pre>
      </section>
      <CommandLines lines={adminCommands.alert(alert.id)} />
    </Panel>
  );
}

function AlertFacts({ alert }: Pick<AlertProps, 'alert'>) {
  const { alert: texts } = useWords(adminWords);
  const language = useLanguage();
  const by = (name: string | null, at: string | null) =>
    name !== null && at !== null ? texts.by(name, formatTime(at, language)) : null;
  return (
    <Facts
      of={{
        [texts.found]: texts.types[alert.alertType],
        [texts.severity]: <Severity of={alert} />,
        [texts.status]: (
          <>
            <AlertState of={alert} /> {alert.resolution !== null && texts.resolutions[alert.resolution]}
          </>
        ),
        [texts.owner]: alert.ownerName,
        [texts.raised]: formatTime(alert.createdAt, language),
        [texts.statuses.ACKNOWLEDGED]: by(alert.acknowledgedBy, alert.acknowledgedAt),
        [texts.statuses.RESOLVED]: by(alert.resolvedBy, alert.resolvedAt),
        [texts.note]: alert.note,
      }}
    />
  );
}

function AlertActions({ alert: { id, status }, onChanged }: AlertProps) {
  const { alert: texts } = useWords(adminWords);
  const { call } = useBridge();
  const [note, setNote] = useState('');
  const params = { id };
  const acknowledge = useAction(() => call(acknowledgeIntegrityAlert, { params }).then(onChanged));
  return (
    <>
      <div className="actions">
        {status === 'PENDING' && (
          <Button label={texts.acknowledge} disabled={acknowledge.isBusy} onClick={() => acknowledge.run()} />
        )}
        <AskButton
          label={texts.resolve}
          variant="plain"
          title={texts.resolveAsk}
          text={texts.resolveText}
          act={() => call(resolveIntegrityAlert, { params, body: { note: note.trim() } }).then(onChanged)}
        >
          <Field label={texts.note} hint={texts.noteHint} value={note} onText={setNote} maxLength={512} />
        </AskButton>
      </div>
      <Problem error={acknowledge.error} />
    </>
  );
}
