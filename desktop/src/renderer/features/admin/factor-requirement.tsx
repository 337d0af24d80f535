// Roles of the tenant that need a second factor.
import { roles } from '@recordproof/shared/api/auth.ts';
import {
  type FactorRequirement,
  getFactorRequirement,
  putFactorRequirement,
} from '@recordproof/shared/api/user-factors.ts';
import { securityWords } from '@recordproof/shared/words/app-security.ts';
import { useState } from 'react';
import { useBridge, useTexts, useWords } from '../../context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ActionForm, Checkbox, Field } from '../../ui/form.tsx';
import { useAction, useLoad } from '../../ui/hooks.ts';
import { Loading, Problem } from '../../ui/states.tsx';

export function FactorRequirementButton() {
  const texts = useWords(securityWords);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button label={texts.requirement} variant="plain" onClick={() => setOpen(true)} />
      {isOpen && (
        <Dialog title={texts.requirement} onClose={() => setOpen(false)}>
          <Requirement />
        </Dialog>
      )}
    </>
  );
}

function Requirement() {
  const { call } = useBridge();
  const { state } = useLoad('factor-requirement', signal => call(getFactorRequirement, { signal }));
  if (state.kind === 'loading') return <Loading />;
  if (state.kind === 'failed') return <Problem error={state.error} />;
  return <RequirementForm before={state.value} />;
}

function RequirementForm({ before }: { readonly before: FactorRequirement }) {
  const texts = useWords(securityWords);
  const names = useTexts().me.roles;
  const { call } = useBridge();
  const [chosen, setChosen] = useState<FactorRequirement['roles']>(before.roles);
  const [days, setDays] = useState(String(before.graceDays));
  const [isSaved, setSaved] = useState(false);
  const action = useAction(async () => {
    setSaved(false);
    await call(putFactorRequirement, { body: { roles: chosen, graceDays: Number(days) } });
    setSaved(true);
  });
  return (
    <ActionForm
      action={action}
      submit={texts.save}
      variant="plain"
      beside={
        <span role="status" className="quiet small">
          {isSaved && texts.savedRequirement}
        </span>
      }
    >
      <p className="quiet">{texts.requirementText}</p>
      <fieldset className="choices">
        <legend>{texts.requiredOf}</legend>
        {roles.map(role => (
          <Checkbox
            key={role}
            label={names[role]}
            checked={chosen.includes(role)}
            onCheck={isChosen => setChosen(roles.filter(one => (one === role ? isChosen : chosen.includes(one))))}
          />
        ))}
      </fieldset>
      <Field label={texts.graceDays} type="number" min={0} max={90} value={days} onText={setDays} required />
    </ActionForm>
  );
}
