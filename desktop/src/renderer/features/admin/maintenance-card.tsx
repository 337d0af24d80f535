// Maintenance mode: shown, started with a message, ended.
import { getMaintenance, setMaintenance } from '@recordproof/shared/api/maintenance.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { AskButton } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Problem } from '../../ui/states.tsx';

export function MaintenanceCard() {
  const { call } = useBridge();
  const texts = useWords(adminWords).maintenance;
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
          <AskButton
            label={texts.on}
            variant="plain"
            title={texts.onAsk}
            text={texts.onText}
            act={async () => {
              await call(setMaintenance, { body: { isOn: true, message } });
              reload();
            }}
          >
            <Field label={texts.message} value={message} onText={setMessage} maxLength={500} required />
          </AskButton>
        ) : (
          <Button label={texts.off} disabled={isBusy} onClick={() => run()} />
        )}
      </div>
    </section>
  );
}
