import type { Client } from '@recordproof/shared/api/client.ts';
import { type ComponentHealth, getHealth } from '@recordproof/shared/api/monitor.ts';
import { getSystemHealth, getSystemMonitor, type SystemMonitor } from '@recordproof/shared/api/system.ts';

export type HealthSeen = { readonly monitor: SystemMonitor; readonly parts: Readonly<Record<string, ComponentHealth>> };

/**
 * Every part with its details. The probe has all of them, but a proxy may keep it from us: then the four that the
 * system's own answer has.
 */
export async function lookAtHealth(call: Client['call'], signal: AbortSignal): Promise<HealthSeen> {
  const [monitor, detailed] = await Promise.all([
    call(getSystemMonitor, { signal }),
    call(getHealth, { signal }).then(
      ({ components = {} }) => components,
      async () => {
        const { database: db, cache: redis, blockchain, storage: s3Storage } = await call(getSystemHealth, { signal });
        return { db, redis, blockchain, s3Storage };
      },
    ),
  ]);
  const bare = Object.entries(monitor.health.components).map(([name, status]) => [name, { status }]);
  return { monitor, parts: { ...Object.fromEntries(bare), ...detailed } };
}
