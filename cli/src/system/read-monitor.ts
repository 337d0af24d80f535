import type { Client } from '@recordproof/shared/api/client.ts';
import { getSystemMonitor, type SystemMonitor } from '@recordproof/shared/api/system.ts';

/** All that the dashboard shows, in one call. */
export const readMonitor =
  (client: Client) =>
  (signal: AbortSignal): Promise<SystemMonitor> =>
    client.call(getSystemMonitor, { signal });
