// Actions on a tenant, each after a confirmation; deleting asks for its name.

import { deleteTenant, type Tenant, updateTenantStatus } from '@recordproof/shared/api/tenants.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { useState } from 'react';
import { useBridge, useWords } from '../../context.ts';
import { AskDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';

type Act = 'suspend' | 'reactivate' | 'remove';
export type TenantAsk = { readonly act: Act; readonly tenant: Tenant };

type ButtonProps = { readonly tenant: Tenant; readonly onAsk: (ask: TenantAsk) => void };

export function TenantButtons({ tenant, onAsk }: ButtonProps) {
  const texts = useWords(adminWords).tenant;
  const { isFirst, status } = tenant;
  if (isFirst || status === 'DELETING' || status === 'DELETED') return null;
  const acts: readonly Act[] = [status === 'ACTIVE' ? 'suspend' : 'reactivate', 'remove'];
  return (
    <div className="actions in-row">
      {acts.map(act => (
        <button key={act} type="button" className="plain" onClick={() => onAsk({ act, tenant })}>
          {texts[act]}
        </button>
      ))}
    </div>
  );
}

type DialogProps = { readonly ask: TenantAsk; readonly onChanged: () => void; readonly onClose: () => void };

export const TenantDialog = ({ ask: { act, tenant }, ...more }: DialogProps) =>
  act === 'remove' ? <Remove tenant={tenant} {...more} /> : <ChangeStatus tenant={tenant} to={act} {...more} />;

type AskProps = { readonly tenant: Tenant; readonly onChanged: () => void; readonly onClose: () => void };

function ChangeStatus({ tenant, to, onChanged, onClose }: AskProps & { readonly to: 'suspend' | 'reactivate' }) {
  const texts = useWords(adminWords);
  const { call } = useBridge();
  const [typed, setTyped] = useState('');
  const question =
    to === 'suspend'
      ? { title: texts.tenant.suspendAsk(tenant.name), text: texts.tenant.suspendText }
      : { title: texts.tenant.reactivateAsk(tenant.name), text: texts.tenant.reactivateText };
  const act = async () => {
    const reason = typed.trim() === '' ? {} : { reason: typed.trim() };
    const status = to === 'suspend' ? ('SUSPENDED' as const) : ('ACTIVE' as const);
    await call(updateTenantStatus, { params: { id: tenant.id }, body: { status, ...reason } });
    onChanged();
  };
  return (
    <AskDialog {...question} yes={texts.tenant[to]} act={act} onClose={onClose}>
      <Field label={texts.reason} hint={texts.reasonHint} value={typed} onText={setTyped} maxLength={256} />
    </AskDialog>
  );
}

function Remove({ tenant, onChanged, onClose }: AskProps) {
  const texts = useWords(adminWords).tenant;
  const { call } = useBridge();
  const [name, setName] = useState('');
  const act = async () => {
    await call(deleteTenant, { params: { id: tenant.id }, query: { name: name.trim() } });
    onChanged();
  };
  return (
    <AskDialog
      title={texts.removeAsk(tenant.name)}
      text={texts.removeText}
      yes={texts.remove}
      act={act}
      onClose={onClose}
    >
      <Field label={texts.confirm} value={name} onText={setName} autoComplete="off" autoCapitalize="none" />
    </AskDialog>
  );
}
