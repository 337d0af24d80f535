// Administration screen: each part shows only to people with its permission.
import type { Permission } from '@recordproof/shared/api/endpoint.ts';
import { runKinds, type ShownKind } from '@recordproof/shared/api/run-kinds.ts';
import { adminWords } from '@recordproof/shared/words/app-admin.ts';
import { Fragment } from 'react';
import { useAccount, useLanguage, useWords } from '../../context.ts';
import { toHref, useRoute } from '../../router.ts';
import { addStyles } from '../../styles.ts';
import { ScreenHead, Tabs } from '../../ui/panes.tsx';
import { adminStyles } from './admin-styles.ts';
import { AlertsPart } from './alerts-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { HealthPart } from './health-part.tsx';
import { InvitationsPart } from './invitations-part.tsx';
import { RotationPolicy } from './rotation-policy.tsx';
import { RunsPart } from './runs-part.tsx';
import { ServicesPart } from './services-part.tsx';
import { StoragePart } from './storage-part.tsx';
import { TenantsPart } from './tenants-part.tsx';
import { UsersPart } from './users-part.tsx';

addStyles(adminStyles);

type KindName = keyof typeof runKinds;

/** Shown above the runs of a kind. */
const besides: { readonly [Kind in KindName]?: React.ReactNode } = { rotation: <RotationPolicy /> };

type ScreenPart = { readonly part: React.ReactNode; readonly needs: Permission };

const runPart = ([name, kind]: [string, ShownKind]): [string, ScreenPart] => [
  name,
  { part: <RunsPart kind={kind} before={besides[name as KindName]} />, needs: 'system:admin' },
];

const parts = {
  health: { part: <HealthPart />, needs: 'system:metrics' },
  storage: { part: <StoragePart />, needs: 'system:metrics' },
  tenants: { part: <TenantsPart />, needs: 'installation:admin' },
  users: { part: <UsersPart />, needs: 'system:admin' },
  services: { part: <ServicesPart />, needs: 'system:admin' },
  invitations: { part: <InvitationsPart />, needs: 'system:admin' },
  alerts: { part: <AlertsPart />, needs: 'system:admin' },
  ...(Object.fromEntries(Object.entries(runKinds).map(runPart)) as Readonly<Record<KindName, ScreenPart>>),
  audit: { part: <AuditPart />, needs: 'system:audit' },
} as const satisfies Readonly<Record<string, ScreenPart>>;
type PartName = keyof typeof parts;

const isKind = (name: PartName): name is KindName => name in runKinds;

export function AdminScreen() {
  const texts = useWords(adminWords);
  const language = useLanguage();
  const { permissions } = useAccount();
  const names = (Object.keys(parts) as PartName[]).filter(name => permissions.includes(parts[name].needs));
  const requested = useRoute().query.get('part');
  const at = names.find(name => name === requested) ?? 'health';
  const toTitle = (part: PartName) => (isKind(part) ? runKinds[part].title[language] : texts[part]);
  return (
    <>
      <ScreenHead />
      <Tabs
        label={texts.parts}
        tabs={names.map(part => ({ href: toHref('admin', { part }), text: toTitle(part), isHere: part === at }))}
      />
      <h2 className="unseen">{toTitle(at)}</h2>
      <Fragment key={at}>{parts[at].part}</Fragment>
    </>
  );
}
