// Administration screen: each part shows only to people with its permission.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { useAccount, useTexts } from '../../context.ts';
import { toHref, usePlace } from '../../router.ts';
import { addStyles } from '../../styles.ts';
import { Tabs } from '../../ui/panes.tsx';
import { adminStyles } from './admin-styles.ts';
import { AlertsPart } from './alerts-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { HealthPart } from './health-part.tsx';
import { InvitationsPart } from './invitations-part.tsx';
import { RotationPart } from './rotation-part.tsx';
import { ServicesPart } from './services-part.tsx';
import { StoragePart } from './storage-part.tsx';
import { TenantsPart } from './tenants-part.tsx';
import { useAdminTexts } from './use-admin-texts.ts';
import { UsersPart } from './users-part.tsx';

addStyles(adminStyles);

const parts = {
  health: { Part: HealthPart, needs: 'system:metrics' },
  storage: { Part: StoragePart, needs: 'system:metrics' },
  tenants: { Part: TenantsPart, needs: 'installation:admin' },
  users: { Part: UsersPart, needs: 'system:admin' },
  services: { Part: ServicesPart, needs: 'system:admin' },
  invitations: { Part: InvitationsPart, needs: 'system:admin' },
  alerts: { Part: AlertsPart, needs: 'system:admin' },
  rotation: { Part: RotationPart, needs: 'system:admin' },
  audit: { Part: AuditPart, needs: 'system:audit' },
} as const satisfies Readonly<Record<string, { readonly Part: () => React.ReactNode; readonly needs: Permission }>>;
type PartName = keyof typeof parts;

export function AdminScreen() {
  const texts = useAdminTexts();
  const title = useTexts().admin;
  const { permissions } = useAccount();
  const names = (Object.keys(parts) as PartName[]).filter(name => permissions.includes(parts[name].needs));
  const requested = usePlace().query.get('part');
  const at = names.find(name => name === requested) ?? 'health';
  const { Part } = parts[at];
  return (
    <>
      <header className="head">
        <h1>{title}</h1>
      </header>
      <Tabs
        label={texts.parts}
        tabs={names.map(part => ({ href: toHref('admin', { part }), text: texts[part], isHere: part === at }))}
      />
      <h2 className="unseen">{texts[at]}</h2>
      <Part key={at} />
    </>
  );
}
