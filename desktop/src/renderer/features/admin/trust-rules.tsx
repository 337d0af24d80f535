// Trust rules of a service account: which jobs of build systems get a short API token of it.
import {
  createTrustRule,
  deleteTrustRule,
  listTrustRules,
  type TrustRule,
} from '@recordproof/shared/api/workload-identity.ts';
import { serviceWords } from '@recordproof/shared/words/app-services.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { AskDialog } from '../../ui/dialog.tsx';
import { ActionForm, Field, TextArea } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { NotLoadedNote } from '../../ui/states.tsx';
import { hasScopes, LimitFields, noLimits, toLimitsBody } from '../tokens/limit-fields.tsx';

export function TrustRules({ accountId: id }: { readonly accountId: string }) {
  const texts = useWords(serviceWords);
  const { call } = useBridge();
  const { state, reload } = useLoad(`trust rules of ${id}`, signal => call(listTrustRules, { params: { id }, signal }));
  const [deleting, setDeleting] = useState<TrustRule | null>(null);
  return (
    <section className="card form">
      <h3>{texts.rules}</h3>
      <p className="quiet">{texts.rulesText}</p>
      <NotLoadedNote state={state} />
      {state.kind === 'ready' && state.value.length === 0 && <p className="quiet">{texts.noRules}</p>}
      {state.kind === 'ready' && state.value.length > 0 && (
        <ul className="lines">
          {state.value.map(rule => (
            <RuleLine key={rule.id} rule={rule} onDelete={() => setDeleting(rule)} />
          ))}
        </ul>
      )}
      <NewRule accountId={id} onCreated={reload} />
      {deleting && (
        <AskDialog
          title={texts.deleteRuleAsk(deleting.name)}
          text={texts.deleteRuleText}
          yes={texts.deleteRule}
          act={async () => {
            await call(deleteTrustRule, { params: { id, ruleId: deleting.id } });
            reload();
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </section>
  );
}

function RuleLine({ rule, onDelete }: { readonly rule: TrustRule; readonly onDelete: () => void }) {
  const texts = useWords(serviceWords);
  const { name, issuer, audience, claims, scopes, folder } = rule;
  return (
    <li>
      <div className="name">
        <strong>{name}</strong>
        <div className="quiet small">
          {issuer} · {audience} · {scopes.join(', ')}
          {folder !== null && ` · ${folder}`}
        </div>
        <div className="quiet small">
          <code>{claims.map(claim => `${claim.name}=${claim.pattern}`).join(' ')}</code>
        </div>
      </div>
      <Button label={texts.deleteRule} variant="plain" aria-label={texts.deleteRuleLabel(name)} onClick={onDelete} />
    </li>
  );
}

/** A line with no "=" gets an empty name, which the server rejects with the reason. */
const toClaims = (text: string) =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => {
      const at = Math.max(0, line.indexOf('='));
      return { name: line.slice(0, at), pattern: line.slice(at + 1) };
    });

const nothing = { name: '', issuer: '', audience: '', claims: '' };

function NewRule({ accountId: id, onCreated }: { readonly accountId: string; readonly onCreated: () => void }) {
  const texts = useWords(serviceWords);
  const { call } = useBridge();
  const [typed, setTyped] = useState(nothing);
  const [limits, setLimits] = useState(noLimits);
  const action = useAction(async () => {
    const body = { ...typed, claims: toClaims(typed.claims), ...toLimitsBody(limits) };
    await call(createTrustRule, { params: { id }, body });
    setTyped(nothing);
    setLimits(noLimits);
    onCreated();
  });
  const type = (field: keyof typeof nothing) => (text: string) => setTyped(before => ({ ...before, [field]: text }));
  const plain = { autoComplete: 'off', required: true } as const;
  return (
    <ActionForm action={action} submit={texts.createRule} isComplete={hasScopes(limits)} inRow>
      <Field
        label={texts.ruleName}
        hint={texts.ruleNameHint}
        value={typed.name}
        onText={type('name')}
        maxLength={64}
        {...plain}
      />
      <Field
        label={texts.issuer}
        hint={texts.issuerHint}
        type="url"
        value={typed.issuer}
        onText={type('issuer')}
        {...plain}
      />
      <Field
        label={texts.audience}
        hint={texts.audienceHint}
        value={typed.audience}
        onText={type('audience')}
        {...plain}
      />
      <TextArea label={texts.claims} value={typed.claims} onText={type('claims')} rows={3} required />
      <small className="quiet">{texts.claimsHint}</small>
      <LimitFields limits={limits} onChange={setLimits} />
    </ActionForm>
  );
}
