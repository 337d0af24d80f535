// Routes of the cryptographic policy.
import * as api from '@recordproof/shared/api/crypto-policy.ts';
import { type Route, route } from '../../platform/http/route.ts';
import type { Server } from '../../platform/server.ts';
import { diagnose } from './diagnostics.ts';
import { putPolicy } from './put-policy.ts';

type Dependencies = Pick<Server, 'database' | 'clock' | 'suites' | 'cryptoPolicies' | 'keyProviders'>;

export const cryptoPolicyRoutes = (server: Dependencies): Route[] => [
  route(api.getCryptoPolicy, ({ actor }) => server.cryptoPolicies.read(server.database.db, actor.tenantId)),
  route(api.putCryptoPolicy, r => putPolicy(server, r, r.body)),
  route(api.getCryptoDiagnostics, ({ actor }) => diagnose(server, actor.tenantId)),
];
