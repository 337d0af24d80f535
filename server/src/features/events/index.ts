// What is told to people as it happens: written with the change that it tells of, kept for whoever was away.
import type { Feature } from '../../platform/feature.ts';
import { keepNotices } from './notices.ts';

export { eventMigrations } from './migrations.ts';
export type { Audience, Notice } from './notice.ts';
export { notify } from './notices.ts';

export const events = (): Feature => ({ name: 'events', consumers: [keepNotices] });
