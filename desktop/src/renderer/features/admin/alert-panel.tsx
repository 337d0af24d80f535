// Details of one integrity alert, and the actions on it.

import {
  acknowledgeIntegrityAlert,
  type IntegrityAlert,
  resolveIntegrityAlert,
} from '@recordproof/shared/api/integrity.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Panel } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';
import { AlertState, CommandLines, Severity } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';

type AlertProps = { readonly alert: IntegrityAlert; readonly onChanged: () => void };

export function AlertPanel({ alert, onChanged, onClose }: AlertProps & { readonly onClose: () => void }) {
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
  const acknowledged = by(alert.acknowledgedBy, alert.acknowledgedAt);
  const resolved = by(alert.resolvedBy, alert.resolvedAt);
  return (
    <dl className="facts">
      <dt>{texts.found}</dt>
      <dd>{texts.types[alert.alertType]}</dd>
      <dt>{texts.severity}</dt>
      <dd>
        <Severity of={alert} />
      </dd>
      <dt>{texts.status}</dt>
      <dd>
        <AlertState of={alert} /> {alert.resolution !== null && texts.resolutions[alert.resolution]}
      </dd>
      <dt>{texts.owner}</dt>
      <dd>{alert.ownerName}</dd>
      <dt>{texts.raised}</dt>
      <dd>{formatTime(alert.createdAt, language)}</dd>
      {acknowledged !== null && (
        <>
          <dt>{texts.statuses.ACKNOWLEDGED}</dt>
          <dd>{acknowledged}</dd>
        </>
      )}
      {resolved !== null && (
        <>
          <dt>{texts.statuses.RESOLVED}</dt>
          <dd>{resolved}</dd>
        </>
      )}
      {alert.note !== null && (
        <>
          <dt>{texts.note}</dt>
          <dd>{alert.note}</dd>
        </>
      )}
    </dl>
  );
}

function AlertActions({ alert: { id, status }, onChanged }: AlertProps) {
  const { alert: texts } = useWords(adminWords);
  const { call } = useBridge();
  const [isAsking, setAsking] = useState(false);
  const [note, setNote] = useState('');
  const params = { id };
  const acknowledge = useAction(() => call(acknowledgeIntegrityAlert, { params }).then(onChanged));
  return (
    <>
      <div className="actions">
        {status === 'PENDING' && (
          <button type="button" disabled={acknowledge.isBusy} onClick={() => acknowledge.run()}>
            {texts.acknowledge}
          </button>
        )}
        <button type="button" className="plain" onClick={() => setAsking(true)}>
          {texts.resolve}
        </button>
      </div>
      <Problem error={acknowledge.error} />
      {isAsking && (
        <AskDialog
          title={texts.resolveAsk}
          text={texts.resolveText}
          yes={texts.resolve}
          act={() => call(resolveIntegrityAlert, { params, body: { note: note.trim() } }).then(onChanged)}
          onClose={() => setAsking(false)}
        >
          <Field label={texts.note} hint={texts.noteHint} value={note} onText={setNote} maxLength={512} />
        </AskDialog>
      )}
    </>
  );
}
