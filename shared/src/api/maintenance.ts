// Maintenance mode: the installation is read-only.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';

export const maintenanceMessage = z.string().trim().min(1).max(500);

export const maintenance = z.object({
  isOn: z.boolean(),
  message: z.string().nullable().meta({ description: 'shown to all users of the installation; null when it is off' }),
  since: isoTime.nullable(),
});
export type Maintenance = z.infer<typeof maintenance>;

export const getMaintenance = endpoint('getMaintenance', {
  feature: 'maintenance',
  route: 'GET /api/v1/maintenance',
  summary: 'Whether the installation is in maintenance, and why',
  access: 'anonymous',
  rate: 'other',
  answer: maintenance,
});

export const setMaintenance = endpoint('setMaintenance', {
  feature: 'maintenance',
  route: 'PUT /api/v1/system/maintenance',
  summary: 'Switch maintenance mode on or off',
  description:
    'On all servers from the commit on. While it is on, every change is refused with 503, Retry-After and code 40008; signing in, reading and downloading go on. Requests that were admitted before are finished. Jobs that change data wait.',
  access: 'installation:admin',
  rate: 'other',
  isAllowedInMaintenance: true,
  body: z.discriminatedUnion('isOn', [
    z.object({ isOn: z.literal(true), message: maintenanceMessage }),
    z.object({ isOn: z.literal(false) }),
  ]),
  answer: maintenance,
});
