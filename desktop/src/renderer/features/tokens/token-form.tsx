// Form that creates an API token and shows it once, with a button that copies it. The desktop app does not: its window
// gets no token.
import { type createApiToken, defaultTokenDays } from '@recordproof/shared/api/api-tokens.ts';
import type { BodyInput } from '@recordproof/shared/api/endpoint.ts';
import { tokenWords } from '@recordproof/shared/words/app-tokens.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { CopyNote } from '../../ui/buttons.tsx';
import { ActionForm, Field } from '../../ui/form.tsx';
import { useAction } from '../../ui/hooks.ts';
import { hasScopes, LimitFields, noLimits, toLimitsBody } from './limit-fields.tsx';

export type CreateToken = (body: BodyInput<typeof createApiToken>) => Promise<{ readonly token: string }>;
type Props = { readonly create: CreateToken; readonly onCreated: () => void };

export function TokenForm(props: Props) {
  const texts = useWords(tokenWords);
  const { shell } = useBridge();
  return shell === null ? <NewToken {...props} /> : <p className="quiet">{texts.inBrowserOnly}</p>;
}

function NewToken({ create, onCreated }: Props) {
  const texts = useWords(tokenWords);
  const [name, setName] = useState('');
  const [days, setDays] = useState(String(defaultTokenDays));
  const [limits, setLimits] = useState(noLimits);
  const [token, setToken] = useState<string | null>(null);
  const action = useAction(async () => {
    setToken(null);
    const created = await create({ name, expiresInDays: Number(days), ...toLimitsBody(limits) });
    setToken(created.token);
    setName('');
    setLimits(noLimits);
    onCreated();
  });
  return (
    <>
      <ActionForm action={action} submit={texts.create} isComplete={hasScopes(limits)} inRow>
        <Field
          label={texts.name}
          hint={texts.nameHint}
          value={name}
          onText={setName}
          maxLength={64}
          autoComplete="off"
          required
        />
        <LimitFields limits={limits} onChange={setLimits} />
        <Field label={texts.days} type="number" min={1} value={days} onText={setDays} required />
      </ActionForm>
      <div role="status">{token !== null && <CopyNote value={token} text={texts.created} label={texts.copy} />}</div>
    </>
  );
}
