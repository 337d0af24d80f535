import type { File } from '@recordproof/shared/api/files.ts';
import { createShare, type Share, shareTypes } from '@recordproof/shared/api/shares.ts';
import { useState } from 'react';
import { useBridge, useSay } from '../../surroundings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Segments } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { Problem } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

type Sharing = { readonly files: readonly File[]; readonly onClose: () => void };

const minutes = { hour: 60, day: 1440, week: 10_080, month: 43_200 } as const;
type Lifetime = keyof typeof minutes;

export function ShareDialog({ files, onClose }: Sharing) {
  const { sharing: say } = useSay();
  const [made, setMade] = useState<Share | null>(null);
  return (
    <Dialog title={made ? say.ready : say.title(files.length)} onClose={onClose}>
      {made ? <MadeShare share={made} /> : <ShareForm files={files} onMade={setMade} />}
    </Dialog>
  );
}

function ShareForm({ files, onMade }: { readonly files: readonly File[]; readonly onMade: (share: Share) => void }) {
  const { sharing: say } = useSay();
  const { call } = useBridge();
  const [lifetime, setLifetime] = useState<Lifetime>('week');
  const [who, setWho] = useState<keyof typeof shareTypes>('PUBLIC');
  const [password, setPassword] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    const body = {
      fileHash: files.map(({ fileHash }) => fileHash),
      expireMinutes: minutes[lifetime],
      shareType: shareTypes[who],
      ...(password !== '' && { password }),
    };
    onMade(await call(createShare, { body }));
  });
  const { hour, day, week, month } = say;
  return (
    <Form onSend={run}>
      <p className="quiet">{say.lead}</p>
      <Segments label={say.ends} value={lifetime} options={{ hour, day, week, month }} onChoose={setLifetime} />
      <Segments label={say.who} value={who} options={{ PUBLIC: say.anybody, PRIVATE: say.members }} onChoose={setWho} />
      <Field
        label={`${say.password} (${say.optional})`}
        type="password"
        value={password}
        onText={setPassword}
        autoComplete="off"
        minLength={4}
        maxLength={64}
      />
      <Problem error={error} />
      <button type="submit" disabled={isBusy}>
        {say.create}
      </button>
    </Form>
  );
}

function MadeShare({ share }: { readonly share: Share }) {
  const { sharing: say } = useSay();
  const { session } = useBridge();
  const link = toShareLink(session.serverUrl(), share.shareCode);
  return (
    <div className="form">
      <Field label={say.link} value={link} readOnly autoFocus onFocus={event => event.target.select()} />
      <div className="actions">
        <CopyButton text={link} label={say.link} />
      </div>
    </div>
  );
}

export const toShareLink = (serverUrl: string, code: string): string =>
  `${serverUrl.replace(/\/+$/, '')}/s/${encodeURIComponent(code)}`;
