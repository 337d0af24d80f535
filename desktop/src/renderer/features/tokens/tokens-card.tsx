// API tokens of an account: a list with scopes, expiry and last use, and buttons to revoke them.
import { type ApiToken, createApiToken, listApiTokens, revokeApiToken } from '@recordproof/shared/api/api-tokens.ts';
import { tokenWords } from '@recordproof/shared/words/app-tokens.ts';
import { useState } from 'react';
import { useBridge, useLanguage, useWords } from '../../context.ts';
import { formatTime } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { useLoad } from '../../ui/hooks.ts';
import { NotLoadedNote } from '../../ui/states.tsx';
import { type CreateToken, TokenForm } from './token-form.tsx';

export function TokensCard() {
  const texts = useWords(tokenWords);
  const { call } = useBridge();
  return (
    <Tokens
      name="api-tokens"
      text={texts.text}
      list={signal => call(listApiTokens, { signal })}
      create={body => call(createApiToken, { body })}
      revoke={id => call(revokeApiToken, { params: { id } })}
    />
  );
}

type Props = {
  /** Of the list, among all that are loaded. */
  readonly name: string;
  readonly text: string;
  readonly list: (signal: AbortSignal) => Promise<readonly ApiToken[]>;
  readonly create: CreateToken;
  readonly revoke: (id: string) => Promise<unknown>;
};

export function Tokens({ name, text, list, create, revoke }: Props) {
  const texts = useWords(tokenWords);
  const { state, reload } = useLoad(name, list);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  return (
    <section className="card form">
      <h2>{texts.title}</h2>
      <p className="quiet">{text}</p>
      <NotLoadedNote state={state} />
      {state.kind === 'ready' && state.value.length === 0 && <p className="quiet">{texts.none}</p>}
      {state.kind === 'ready' && state.value.length > 0 && (
        <ul className="lines">
          {state.value.map(token => (
            <TokenLine key={token.id} token={token} onRevoke={() => setRevoking(token)} />
          ))}
        </ul>
      )}
      <TokenForm create={create} onCreated={reload} />
      {revoking && (
        <AskDialog
          title={texts.revokeAsk(revoking.name)}
          text={texts.revokeText}
          yes={texts.revoke}
          act={async () => {
            await revoke(revoking.id);
            reload();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </section>
  );
}

const tones: Readonly<Record<ApiToken['state'], string>> = { ACTIVE: 'good', EXPIRED: '', REVOKED: 'bad' };

function TokenLine({ token, onRevoke }: { readonly token: ApiToken; readonly onRevoke: () => void }) {
  const texts = useWords(tokenWords);
  const language = useLanguage();
  const { name, state, hint, scopes, folder, expiresAt, lastUsedAt, lastUsedFrom } = token;
  const isActive = state === 'ACTIVE';
  return (
    <li>
      <div className="name">
        <strong>{name}</strong> <span className={`chip ${tones[state]}`}>{texts.states[state]}</span>
        <div className="quiet small">
          <code>{hint}…</code> · {scopes.join(', ')}
          {folder !== null && ` · ${texts.inFolder(folder)}`}
        </div>
        <div className="quiet small">
          {texts.expires(formatTime(expiresAt, language))} ·{' '}
          {lastUsedAt === null ? texts.neverUsed : texts.lastUsed(formatTime(lastUsedAt, language), lastUsedFrom ?? '')}
        </div>
      </div>
      {isActive && (
        <Button label={texts.revoke} variant="plain" aria-label={texts.revokeLabel(name)} onClick={onRevoke} />
      )}
    </li>
  );
}
