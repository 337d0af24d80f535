// Details of one integrity alert, and the actions on it.
import {
  acknowledgeIntegrityAlert,
  type IntegrityAlert,
  resolveIntegrityAlert,
} from '@recordproof/shared/api/integrity.ts';
import { useState } from 'react';
import { useBridge, useLanguage } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { Panel } from '../../ui/panes.tsx';
import { Problem } from '../../ui/states.tsx';
import { AlertState, CommandLines, Severity } from './admin-elements.tsx';
import { adminCommands } from './commands.ts';
import { useAdminTexts } from './use-admin-texts.ts';

type AlertProps = { readonly alert: IntegrityAlert; readonly onChanged: () => void };

export function AlertPanel({ alert, onChanged, onClose }: AlertProps & { readonly onClose: () => void }) {
  const { alert: say } = useAdminTexts();
  return (
    <Panel title={alert.fileName} onClose={onClose}>
      {alert.status !== 'RESOLVED' && <AlertActions alert={alert} onChanged={onChanged} />}
      <section>
        <AlertFacts alert={alert} />
      </section>
      <section>
        <h3>{say.todo}</h3>
        <p className="small">{alert.repairHint}</p>
      </section>
      <section>
        <h3>{say.evidence}</h3>
        <pre className="evidence">{JSON.stringify(alert.evidence, null, 2)}</pre>
      </section>
      <CommandLines lines={adminCommands.alert(alert.id)} />
    </Panel>
  );
}

function AlertFacts({ alert }: Pick<AlertProps, 'alert'>) {
  const { alert: say } = useAdminTexts();
  const language = useLanguage();
  const by = (name: string | null, at: string | null) =>
    name !== null && at !== null ? say.by(name, formatTime(at, language)) : null;
  const acknowledged = by(alert.acknowledgedBy, alert.acknowledgedAt);
  const resolved = by(alert.resolvedBy, alert.resolvedAt);
  return (
    <dl className="facts">
      <dt>{say.found}</dt>
      <dd>{say.types[alert.alertType]}</dd>
      <dt>{say.severity}</dt>
      <dd>
        <Severity of={alert} />
      </dd>
      <dt>{say.status}</dt>
      <dd>
        <AlertState of={alert} /> {alert.resolution !== null && say.resolutions[alert.resolution]}
      </dd>
      <dt>{say.owner}</dt>
      <dd>{alert.ownerName}</dd>
      <dt>{say.raised}</dt>
      <dd>{formatTime(alert.createdAt, language)}</dd>
      {acknowledged !== null && (
        <>
          <dt>{say.statuses.ACKNOWLEDGED}</dt>
          <dd>{acknowledged}</dd>
        </>
      )}
      {resolved !== null && (
        <>
          <dt>{say.statuses.RESOLVED}</dt>
          <dd>{resolved}</dd>
        </>
      )}
      {alert.note !== null && (
        <>
          <dt>{say.note}</dt>
          <dd>{alert.note}</dd>
        </>
      )}
    </dl>
  );
}

function AlertActions({ alert: { id, status }, onChanged }: AlertProps) {
  const { alert: say } = useAdminTexts();
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
            {say.acknowledge}
          </button>
        )}
        <button type="button" className="plain" onClick={() => setAsking(true)}>
          {say.resolve}
        </button>
      </div>
      <Problem error={acknowledge.error} />
      {isAsking && (
        <AskDialog
          title={say.resolveAsk}
          text={say.resolveText}
          yes={say.resolve}
          act={() => call(resolveIntegrityAlert, { params, body: { note: note.trim() } }).then(onChanged)}
          onClose={() => setAsking(false)}
        >
          <Field label={say.note} hint={say.noteHint} value={note} onText={setNote} maxLength={512} />
        </AskDialog>
      )}
    </>
  );
}
