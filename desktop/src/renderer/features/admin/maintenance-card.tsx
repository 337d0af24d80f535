// Maintenance mode: shown, started with a message, ended.
import { getMaintenance, setMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { useState } from 'react';
import { useBridge } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';
import { useAdminTexts } from './use-admin-texts.ts';

export function MaintenanceCard() {
  const { call } = useBridge();
  const say = useAdminTexts().maintenance;
  const [isAsking, setAsking] = useState(false);
  const [message, setMessage] = useState('');
  const { state, reload } = useLoad('', signal => call(getMaintenance, { signal }));
  const { run, isBusy, error } = useAction(async () => {
    await call(setMaintenance, { body: { isOn: false } });
    reload();
  });
  const current = state.kind === 'ready' && state.value.isOn ? state.value.message : null;
  return (
    <section className="card form">
      <h3>{say.title}</h3>
      <p>{current ?? say.text}</p>
      <Problem error={error} />
      <div className="actions">
        {current === null ? (
          <button type="button" className="plain" onClick={() => setAsking(true)}>
            {say.on}
          </button>
        ) : (
          <button type="button" disabled={isBusy} onClick={() => run()}>
            {say.off}
          </button>
        )}
      </div>
      {isAsking && (
        <AskDialog
          title={say.onAsk}
          text={say.onText}
          yes={say.on}
          act={async () => {
            await call(setMaintenance, { body: { isOn: true, message } });
            reload();
          }}
          onClose={() => setAsking(false)}
        >
          <Field label={say.message} value={message} onText={setMessage} maxLength={500} required />
        </AskDialog>
      )}
    </section>
  );
}
