// Maintenance mode: shown, started with a message, ended.

import { getMaintenance, setMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

export function MaintenanceCard() {
  const { call } = useBridge();
  const texts = useWords(adminWords).maintenance;
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
      <h3>{texts.title}</h3>
      <p>{current ?? texts.text}</p>
      <Problem error={error} />
      <div className="actions">
        {current === null ? (
          <button type="button" className="plain" onClick={() => setAsking(true)}>
            {texts.on}
          </button>
        ) : (
          <button type="button" disabled={isBusy} onClick={() => run()}>
            {texts.off}
          </button>
        )}
      </div>
      {isAsking && (
        <AskDialog
          title={texts.onAsk}
          text={texts.onText}
          yes={texts.on}
          act={async () => {
            await call(setMaintenance, { body: { isOn: true, message } });
            reload();
          }}
          onClose={() => setAsking(false)}
        >
          <Field label={texts.message} value={message} onText={setMessage} maxLength={500} required />
        </AskDialog>
      )}
    </section>
  );
}
