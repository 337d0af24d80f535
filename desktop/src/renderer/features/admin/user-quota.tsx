// Storage quota of one account.
import { getUserQuota, setUserQuota, type UserQuota } from '@recordproof/shared/api/user-quotas.ts';
import { parseSize } from '@recordproof/shared/settings/parse-size.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { formatSize } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Form } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { NotLoaded, Problem } from '../../ui/states.tsx';

type OfUser = { readonly userId: string };

export function UserQuotaPart({ userId }: OfUser) {
  const texts = useWords(adminWords).user;
  const { call } = useBridge();
  const { state, reload } = useLoad(userId, signal => call(getUserQuota, { params: { id: userId }, signal }));
  return (
    <section>
      <h3>{texts.quota}</h3>
      <NotLoaded state={state} again={reload} />
      {state.kind === 'ready' && <QuotaForm userId={userId} quota={state.value} onSaved={reload} />}
    </section>
  );
}

/** Null is the default of the server, undefined what cannot be read. */
const parseLimit = (typed: string, parse: (text: string) => number | undefined): number | null | undefined => {
  const text = typed.trim();
  if (text === '') return null;
  return text === '0' ? 0 : parse(text);
};
const parseCount = (text: string): number | undefined => (/^[1-9][0-9]{0,12}$/.test(text) ? Number(text) : undefined);

const toText = (limit: number | null): string => (limit === null ? '' : String(limit));

type FormProps = OfUser & { readonly quota: UserQuota; readonly onSaved: () => void };

function QuotaForm({ userId, quota: { mode, user, own }, onSaved }: FormProps) {
  const texts = useWords(adminWords).user;
  const { call } = useBridge();
  const [bytes, setBytes] = useState(toText(own.maxBytes));
  const [files, setFiles] = useState(toText(own.maxFiles));
  const [note, setNote] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    const [maxBytes, maxFiles] = [parseLimit(bytes, parseSize), parseLimit(files, parseCount)];
    if (maxBytes === undefined || maxFiles === undefined) return setNote(texts.quotaBad);
    await call(setUserQuota, { params: { id: userId }, body: { maxBytes, maxFiles } });
    setNote(texts.quotaSaved);
    onSaved();
  });
  return (
    <Form onSend={run}>
      <p className="quiet small">{texts.quotaUsed(formatSize(user.usedBytes), user.usedFiles)}</p>
      {mode === 'SHADOW' && <p className="note">{texts.quotaShadow}</p>}
      <Field
        label={texts.maxBytes}
        hint={texts.maxBytesHint(formatSize(user.maxBytes))}
        value={bytes}
        onText={setBytes}
      />
      <Field
        label={texts.maxFiles}
        hint={texts.maxFilesHint(user.maxFiles)}
        inputMode="numeric"
        value={files}
        onText={setFiles}
      />
      <Problem error={error} />
      <Button label={texts.quotaSave} type="submit" variant="plain" disabled={isBusy} />
      <p role="status" className="quiet small">
        {note}
      </p>
    </Form>
  );
}
