// The pages of a server that has just these endpoints, behind the real HTTP layer, over a database without accounts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { migrations } from '../../server/src/compose/features.ts';
import { ensureDefaultTenant } from '../../server/src/features/auth/index.ts';
import { appRoutes } from '../../server/src/features/site/app-routes.ts';
import { siteRoutes } from '../../server/src/features/site/routes.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import type { FeatureParts } from '../../server/src/platform/feature-parts.ts';
import { movableClock } from './clock.ts';
import { openTestDatabase } from './database-address.ts';
import { openTestHttp, type TestHttp } from './http.ts';

export async function openSiteOf(endpoints: readonly AnyEndpoint[], baseUrl: string): Promise<TestHttp> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-site-'));
  opening.defer(() => rmSync(folder, { recursive: true }));
  const database = await openTestDatabase({ kind: 'sqlite', at: join(folder, 'site.db') });
  opening.defer(() => database.close());
  await migrate(database.db, database.kind, migrations, 0);
  await ensureDefaultTenant({ database, clock: movableClock() });
  const parts: FeatureParts[] = [{ routes: endpoints.map(endpoint => ({ endpoint, handle: () => null })) }];
  const config = { objects: { kind: 'disk', folder } } as const;
  const routes = [...siteRoutes({ parts, baseUrl: () => baseUrl, database }), ...appRoutes({ config })];
  parts.push({ routes });
  const http = opening.use(await openTestHttp(routes));
  const opened = opening.move();
  return { ...http, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
